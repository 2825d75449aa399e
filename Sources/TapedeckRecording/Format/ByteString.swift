package import TapedeckHTTP
import TapedeckRedaction

/// Bytes that are usually text: a string if they are UTF-8, else `{"base64": "…"}`.
package enum ByteString {
  package static func encode(_ bytes: ArraySlice<UInt8>) -> JSONValue {
    guard let string = JSONString(utf8: bytes) else { return base64(bytes) }
    return .string(string)
  }

  static func write(_ bytes: ArraySlice<UInt8>, to out: inout JSONOutput) {
    bytes.withUnsafeBufferPointer { write($0, to: &out) }
  }

  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout JSONOutput) {
    if !out.string(utf8: bytes) { out.value(base64(bytes)) }
  }

  package static func base64(_ bytes: some Collection<UInt8>) -> JSONValue {
    .object([JSONMember("base64", JSONValue(Base64.encode(bytes)))])
  }

  static func decode(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> ArraySlice<UInt8> {
    if case .string(let string) = value {
      guard let bytes = string.utf8Slice else { throw place().problem("a lone surrogate is no text") }
      return bytes
    }
    guard case .object = value else {
      throw place().problem("a string or {\"base64\": …} is expected here")
    }
    let object = try StrictObject(value, at: place(), known: ["base64"], allowsOwn: true)
    return try decodeBase64(try object.required("base64"), at: object.place.member("base64"))[...]
  }

  static func decodeBase64(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> [UInt8] {
    guard case .string(let string) = value, let bytes = Base64.decode(string.decodedBytes) else {
      throw place().problem("this is not base64 with padding")
    }
    return bytes
  }
}

/// Chunk sizes as an array of numbers, in which `[size, count]` is a run of equal sizes.
package enum ChunkSizes {
  private static let minimumRun = 3

  package static func encode(_ sizes: [Int]) -> JSONValue {
    var items: [JSONValue] = []
    var rest = sizes[...]
    while let size = rest.first {
      let run = rest.prefix { $0 == size }.count
      if run >= minimumRun {
        items.append([JSONValue(size), JSONValue(run)])
      } else {
        items.append(contentsOf: repeatElement(JSONValue(size), count: run))
      }
      rest = rest.dropFirst(run)
    }
    return .array(items)
  }

  /// The sizes, cut or completed to the length of the body, which may have been edited.
  static func decode(
    _ items: [JSONValue], bodyBytes: Int, at place: JSONPlace
  ) throws(JSONProblem) -> [Int] {
    var sizes: [Int] = []
    var rest = bodyBytes
    for (index, item) in items.enumerated() {
      let pair = item.array ?? [item, 1]
      guard pair.count == 2, let size = pair[0].int, let count = pair[1].int, size > 0, count > 0 else {
        throw place.element(index).problem(
          "a chunk size, or a pair [size, count], of at least 1 is expected here")
      }
      var left = count
      while left > 0, rest > 0 {
        guard sizes.count < CassetteLimits.chunks else {
          throw place.element(index).problem("more than \(CassetteLimits.chunks) chunks")
        }
        sizes.append(min(size, rest))
        rest -= min(size, rest)
        left -= 1
      }
    }
    return rest > 0 ? sizes + [rest] : sizes
  }
}

/// The rules as stored: `{"key": "…", "redact": ["x-internal-*"], "keep": ["locale"]}`, or `false` when off.
extension Redaction {
  var tree: JSONValue {
    guard let rules else { return false }
    var members = [JSONMember("key", JSONValue(rules.key))]
    if !rules.redact.isEmpty {
      members.append(JSONMember("redact", .array(rules.redact.map { JSONValue($0.text) })))
    }
    if !rules.keep.isEmpty { members.append(JSONMember("keep", .array(rules.keep.map { JSONValue($0) }))) }
    return .object(members)
  }

  init(_ tree: JSONValue, at place: JSONPlace) throws(JSONProblem) {
    if tree.bool == false {
      self = .off
      return
    }
    guard case .object = tree else { throw place.problem("false or an object is expected here") }
    let object = try StrictObject(tree, at: place, known: ["key", "redact", "keep"], allowsOwn: true)
    guard let key = try object.text("key"), !key.isEmpty else {
      throw place.member("key").problem("a text is expected here; any will do, and it must not change")
    }
    var rules = RedactionRules(key: key)
    for (index, text) in (try object.texts("redact") ?? []).enumerated() {
      do throws(RedactionPatternError) { rules.redact.append(try RedactionPattern(text)) } catch {
        throw place.member("redact").element(index).problem("this \(error)")
      }
    }
    rules.keep = try object.texts("keep") ?? []
    self.init(rules)
  }
}
