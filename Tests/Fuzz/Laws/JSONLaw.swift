@testable import TapedeckHTTP

/// The JSON reader: an error with a place, or a value that is written and read to the same value and the same bytes.
enum JSONLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: input)
    } catch {
      let lines = 1 + input.count { $0 == ASCII.lineFeed }
      try require(JSONCompaction(input) == nil, "\(error), and yet it has a style")
      return try require(
        (1...lines).contains(error.line) && (1...input.count + 1).contains(error.column), "\(error)")
    }
    let compact = value.bytes()
    for style in [JSONStyle.compact, .spaced, .pretty, JSONStyle(.tabs)] {
      let again = try read(value.bytes(style))
      try require(again == value, "\(style) was read again as another value")
      try require(again.bytes() == compact, "\(style) was written again as other bytes")
    }
    if let style = JSONStyle.detect(input, of: value) {
      try require(value.bytes(style) == input, "\(style) does not give the bytes back")
      try require(JSONStyle(name: style.description) == style, "\(style) is not read by its name")
    }
    try keepsItsStyle(input, value, compact)
    try examine(value)
  }

  /// What is found in one pass over the bytes is what reading and writing in each style would find.
  private static func keepsItsStyle(
    _ input: [UInt8], _ value: JSONValue, _ compact: [UInt8]
  ) throws(BrokenLaw) {
    let compaction = JSONCompaction(input)
    let style = JSONStyle.candidates(input).first { value.bytes($0) == input }
    try require(compaction?.style == style, "\(String(describing: compaction?.style)) is not its style")
    if let compaction {
      try require(Array(compaction.bytes) == compact, "it was made compact as other bytes")
    }
  }

  private static func read(_ bytes: [UInt8]) throws(BrokenLaw) -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      throw BrokenLaw("\(error) in \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  /// Every string survives decoding and encoding; every number can be asked for its value.
  private static func examine(_ value: JSONValue) throws(BrokenLaw) {
    switch value {
    case .string(let string): try examine(string)
    case .number: _ = (value.int, value.double)
    case .array(let items): for item in items { try examine(item) }
    case .object(let members):
      for member in members {
        try examine(member.name)
        try examine(member.value)
      }
    case .null, .bool: break
    }
  }

  private static func examine(_ string: JSONString) throws(BrokenLaw) {
    guard let bytes = string.utf8 else { return }
    try require(UTF8Scan.isValid(bytes[...]), "a decoded string is not UTF-8")
    let again = try read(JSONValue(string.text).bytes())
    guard case .string(let same) = again else { throw BrokenLaw("a string was read again as \(again)") }
    try require(same.decodedBytes == bytes, "a string was read again as another")
  }
}
