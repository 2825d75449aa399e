import TapedeckHTTP

/// Reads the outline of an interaction from a file in canonical form: the members of `InteractionFormat` in their order,
/// laid out by `FileLayout`.
///
/// A fast path beside `InteractionFormat.decode` that checks the whole file in one pass but builds nothing of the
/// response. What it takes, the full reader takes with the same outline (`QuickInteractionReaderTests`). Non-canonical
/// files — another layout, members of the user's own, rare members, anything wrong — are left to the full reader, which
/// alone says what is an error. `CassetteReader.outlined` calls it in one line, and works without.
struct QuickInteractionReader {
  struct NonCanonical: Error {}

  /// Deeper than this is for the full reader, which counts from the top of the file.
  private static let maximumDepth = 500

  private var json: JSONReader
  private let loader: BodyLoader
  private let lastFields: LastFields

  private var request = HTTPRequest(.get, "/")
  private var status = 0
  private var recordedAt: Int?
  /// Whether the value of the response's `Date` is left out, and whether it stands among the volatile facts.
  private var (hidesDate, hasDate) = (false, false)
  /// Whether the value of the response's `Content-Length` is left out or empty.
  private var mayLackLength = false
  /// See `VaryNames`.
  private var varying: [[UInt8]] = []

  /// - Parameters:
  ///   - loader: for the body of the request.
  ///   - lastFields: of the file before.
  /// - Returns: nil for a non-canonical file.
  static func outline(
    of bytes: UnsafeRawBufferPointer, loader: BodyLoader, lastFields: LastFields
  ) -> InteractionOutline? {
    var reader = QuickInteractionReader(bytes, loader, lastFields)
    return try? reader.outline()
  }

  private init(_ bytes: UnsafeRawBufferPointer, _ loader: BodyLoader, _ lastFields: LastFields) {
    json = JSONReader(stepping: bytes, maximumDepth: Self.maximumDepth)
    self.loader = loader
    self.lastFields = lastFields
  }

  private mutating func outline() throws(NonCanonical) -> InteractionOutline {
    try object(Self.interactionLayout) { reader, member throws(NonCanonical) in
      switch member {
      case .request: try reader.readRequest()
      case .response:
        try reader.object(Self.responseLayout) { reader, member throws(NonCanonical) in
          try reader.read(member)
        }
      case .volatile:
        try reader.object(Self.volatileLayout) { reader, member throws(NonCanonical) in
          try reader.read(member)
        }
      }
    }
    try expect("\n")
    guard json.index == json.bytes.count, !hidesDate || hasDate,
      !mayLackLength || !BodyFraming.hasNoBody(status: status, method: request.method)
    else { throw NonCanonical() }
    return InteractionOutline(
      recorded: RecordedRequest(request), status: status, recordedAtMicroseconds: recordedAt,
      varying: varying)
  }
}

// MARK: - Objects

extension QuickInteractionReader {
  /// How an object is written: its members in order, each with what stands before its value.
  private struct Layout<Member: FormatMember>: Sendable {
    let members: [(member: Member, opening: Range<Int>, isRequired: Bool)]
    let closing: Range<Int>
    /// The bytes of all of them.
    let bytes: [UInt8]

    init(level: Int) {
      var bytes: [UInt8] = []
      func add(_ part: [UInt8]) -> Range<Int> {
        bytes += part
        return bytes.count - part.count..<bytes.count
      }
      members = Member.all.map { member in
        let opening = FileLayout.opening(of: JSONString(member.rawValue), level: level + 1)
        return (member, add(opening), Member.required.contains(member))
      }
      closing = add(FileLayout.closing("}", level: level))
      self.bytes = bytes
    }
  }

  private static let interactionLayout = Layout<InteractionFormat.Member>(level: 0)
  private static let requestLayout = Layout<InteractionFormat.RequestMember>(level: 1)
  private static let responseLayout = Layout<InteractionFormat.ResponseMember>(level: 1)
  private static let volatileLayout = Layout<InteractionFormat.VolatileMember>(level: 1)

  /// Reads the members that are there, in their order and no others.
  private mutating func object<Member>(
    _ layout: Layout<Member>, _ read: (inout Self, Member) throws(NonCanonical) -> Void
  ) throws(NonCanonical) {
    try expect("{")
    var isFirst = true
    for (member, opening, isRequired) in layout.members {
      guard take(layout.bytes, opening, afterComma: !isFirst) else {
        if isRequired { throw NonCanonical() }
        continue
      }
      isFirst = false
      try read(&self, member)
    }
    if isFirst { return try expect("}") }
    guard take(layout.bytes, layout.closing, afterComma: false) else { throw NonCanonical() }
  }

  private mutating func take(_ layout: [UInt8], _ range: Range<Int>, afterComma: Bool) -> Bool {
    var start = json.index
    if afterComma {
      guard start < json.bytes.count, json.bytes[start] == UInt8(ascii: ",") else { return false }
      start += 1
    }
    let isThere = layout.withUnsafeBytes {
      json.bytes.holds(UnsafeRawBufferPointer(rebasing: $0[range]), at: start)
    }
    if isThere { json.index = start + range.count }
    return isThere
  }
}

// MARK: - The request

extension QuickInteractionReader {
  private mutating func readRequest() throws(NonCanonical) {
    try object(Self.requestLayout) { reader, member throws(NonCanonical) in try reader.read(member) }
    if request.authority.isEmpty, !request.fields.isEmpty { request.authority = lastFields.host }
    InteractionFormat.correctLength(in: &request.fields, to: request.body.count)
  }

  private mutating func read(_ member: InteractionFormat.RequestMember) throws(NonCanonical) {
    switch member {
    case .method:
      let method = String(decoding: bytes(try plainString()), as: UTF8.self)
      guard HTTPMethod.isValid(method) else { throw NonCanonical() }
      request.method = HTTPMethod(rawValue: method)
    case .target:
      request.target = Array(bytes(try plainString()))
      guard request.target.first == UInt8(ascii: "/"), !request.target.contains(0x20) else {
        throw NonCanonical()
      }
    case .headers: request.fields = try requestFields()
    case .host:
      request.authority = Array(bytes(try plainString()))
      guard !request.authority.isEmpty else { throw NonCanonical() }
    case .body: request.body = try requestBody()
    case .trailers: throw NonCanonical()
    }
  }

  /// The body, which is part of the key, is read by the full reader.
  private mutating func requestBody() throws(NonCanonical) -> [UInt8] {
    let start = json.index
    guard json.takeValue(), let value = try? JSONValue(parsing: Array(bytes(start..<json.index))),
      let decoded = try? BodyFormat.decode(value, at: .document),
      case .bytes(let bytes)? = try? loader.body(decoded, at: .document, in: "")
    else { throw NonCanonical() }
    return bytes
  }
}

// MARK: - The response

extension QuickInteractionReader {
  private mutating func read(_ member: InteractionFormat.ResponseMember) throws(NonCanonical) {
    switch member {
    case .version: guard json.take("\"HTTP/1.1\"") || json.take("\"HTTP/1.0\"") else { throw NonCanonical() }
    case .status:
      status = try number(digits: 3)
      guard status >= 100 else { throw NonCanonical() }
    case .reason: _ = try plainString()
    case .headers: try responseFields()
    case .body: try responseBody()
    case .chunks: try chunks()
    case .closeDelimited: try expect("true")
    case .interim, .trailers, .cut: throw NonCanonical()
    }
  }

  private mutating func responseBody() throws(NonCanonical) {
    try expect("{\n      \"")
    if json.take("json\": ") {
      guard json.takeValue() else { throw NonCanonical() }
      if json.take(",\n      \"style\": "), !json.take("\"compact\""),
        JSONStyle(name: String(decoding: bytes(try plainString()), as: UTF8.self)) == nil
      {
        throw NonCanonical()
      }
    } else {
      try expect("text\": [")
      // Half a surrogate, which no text can hold, would hide in an escape.
      json.hasMetCodeUnits = false
      repeat {
        try expect("\n        ")
        guard json.takeString() else { throw NonCanonical() }
      } while json.take(",")
      guard !json.hasMetCodeUnits else { throw NonCanonical() }
      try expect("\n      ]")
    }
    try expect("\n    }")
  }

  /// Sizes, and pairs of a size and a count, each at least 1.
  private mutating func chunks() throws(NonCanonical) {
    try expect("[")
    var count = 0
    repeat {
      let isRun = json.take("[")
      guard try number(digits: 9) > 0 else { throw NonCanonical() }
      guard isRun else {
        count += 1
        continue
      }
      try expect(", ")
      let repeats = try number(digits: 7)
      guard repeats > 0 else { throw NonCanonical() }
      count += repeats
      try expect("]")
    } while json.take(", ")
    // One more may stand for the rest of a body that was edited.
    guard count < CassetteLimits.chunks else { throw NonCanonical() }
    try expect("]")
  }
}

// MARK: - Fields

/// The fields of the request that was read last, by how they are written: most requests of a session have the same
/// ones, which are then read once and held once. One thread uses it.
final class LastFields {
  private var written: [UInt8] = []
  fileprivate private(set) var fields = HTTPFields()
  /// The value of `Host` among them.
  fileprivate private(set) var host: [UInt8] = []

  /// How many bytes these fields take at `index`; 0 for other fields.
  fileprivate func count(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    !written.isEmpty && written.withUnsafeBytes { bytes.holds($0, at: index) } ? written.count : 0
  }

  /// - Parameter written: to the end of the list, and so to where no others could begin in the same way.
  fileprivate func set(_ fields: HTTPFields, written: UnsafeRawBufferPointer) {
    self.written = Array(written)
    self.fields = fields
    host = fields.first("host").map { Array($0) } ?? []
  }
}

extension QuickInteractionReader {
  /// One `["Name", "value"]`.
  private struct Pair {
    var name: UnsafeRawBufferPointer
    /// Nil for null.
    var value: UnsafeRawBufferPointer?
    var isEscaped = false

    func isNamed(_ lowercase: StaticString) -> Bool {
      guard name.count == lowercase.utf8CodeUnitCount else { return false }
      return name.indices.allSatisfy { ASCII.lowercased(name[$0]) == lowercase.utf8Start[$0] }
    }
  }

  /// The end-to-end fields of the request.
  private mutating func requestFields() throws(NonCanonical) -> HTTPFields {
    let start = json.index
    json.index += lastFields.count(in: json.bytes, at: start)
    if json.index == start {
      var fields = try writtenFields()
      fields.removeHopByHop()
      lastFields.set(fields, written: bytes(start..<json.index))
    }
    return lastFields.fields
  }

  /// Fields of which no value but that of `Content-Length` is left out.
  private mutating func writtenFields() throws(NonCanonical) -> HTTPFields {
    var fields = HTTPFields()
    try eachPair { _, pair throws(NonCanonical) in
      guard pair.value != nil || pair.isNamed("content-length") else { throw NonCanonical() }
      do throws(HTTPFieldError) {
        if pair.isEscaped {
          try fields.append(nameBytes: Array(pair.name)[...], valueBytes: Self.unescaped(pair.value)[...])
        } else {
          try fields.append(
            nameBytes: pair.name, valueBytes: pair.value ?? UnsafeRawBufferPointer(rebasing: pair.name[..<0]))
        }
      } catch { throw NonCanonical() }
    }
    return fields
  }

  private static func unescaped(_ text: UnsafeRawBufferPointer?) -> [UInt8] {
    var out: [UInt8] = []
    var isEscape = false
    for byte in text ?? UnsafeRawBufferPointer(start: nil, count: 0) {
      isEscape = byte == UInt8(ascii: "\\") && !isEscape
      if !isEscape { out.append(byte) }
    }
    return out
  }

  private mutating func responseFields() throws(NonCanonical) {
    var vary: [ArraySlice<UInt8>] = []
    try eachPair { reader, pair throws(NonCanonical) in
      guard !pair.name.isEmpty, pair.name.allSatisfy(HTTPFields.isNameByte) else { throw NonCanonical() }
      if pair.isNamed("content-length") {
        if pair.value?.allSatisfy(ASCII.isBlank) ?? true { reader.mayLackLength = true }
      } else if pair.value == nil {
        guard pair.isNamed("date") else { throw NonCanonical() }
        reader.hidesDate = true
      } else if pair.isNamed("vary") {
        vary.append(Self.unescaped(pair.value)[...])
      }
    }
    if !vary.isEmpty { varying = VaryNames.names(in: vary) }
  }

  /// Every pair of a list.
  private mutating func eachPair(
    _ take: (inout Self, Pair) throws(NonCanonical) -> Void
  ) throws(NonCanonical) {
    try expect("[")
    if json.take("]") { return }
    repeat {
      try expect("\n      [")
      var pair = Pair(name: bytes(try plainString()))
      try expect(", ")
      if json.take("null") {
        pair.value = nil
      } else {
        let (range, isEscaped) = try string()
        (pair.value, pair.isEscaped) = (bytes(range), isEscaped)
      }
      try expect("]")
      try take(&self, pair)
    } while json.take(",")
    try expect("\n    ]")
  }
}

// MARK: - Volatile facts

extension QuickInteractionReader {
  private mutating func read(_ member: InteractionFormat.VolatileMember) throws(NonCanonical) {
    switch member {
    case .recordedAt:
      recordedAt = Timestamp.microseconds(bytes(try plainString()))
      guard recordedAt != nil else { throw NonCanonical() }
    case .date:
      _ = try plainString()
      hasDate = true
    case .durationMilliseconds: try milliseconds()
    case .remoteAddress: guard json.takeString() else { throw NonCanonical() }
    case .chunkOffsetsMilliseconds:
      try expect("[")
      repeat { try milliseconds() } while json.take(", ")
      try expect("]")
    case .requestHeaders, .responseHeaders: throw NonCanonical()
    }
  }

  /// Digits, perhaps with a fraction: nothing that could be more than `VolatileFacts.milliseconds` allows.
  private mutating func milliseconds() throws(NonCanonical) {
    _ = try number(digits: 12)
    guard json.take(".") else { return }
    let start = json.index
    while json.index < json.bytes.count, ASCII.isDigit(json.bytes[json.index]) { json.index += 1 }
    guard json.index > start else { throw NonCanonical() }
  }
}

// MARK: - Tokens

extension QuickInteractionReader {
  private func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: json.bytes[range])
  }

  private mutating func expect(_ text: StaticString) throws(NonCanonical) {
    guard json.take(text) else { throw NonCanonical() }
  }

  /// A string of visible ASCII and blanks with nothing escaped.
  private mutating func plainString() throws(NonCanonical) -> Range<Int> {
    let (range, isEscaped) = try string()
    guard !isEscaped else { throw NonCanonical() }
    return range
  }

  /// The same, in which quotes and backslashes may be escaped.
  private mutating func string() throws(NonCanonical) -> (range: Range<Int>, isEscaped: Bool) {
    try expect("\"")
    return try stringEnd()
  }

  /// The rest of a string behind its opening quote.
  private mutating func stringEnd() throws(NonCanonical) -> (range: Range<Int>, isEscaped: Bool) {
    let (start, end) = (json.index, json.bytes.count)
    var index = start
    var isEscaped = false
    while index < end {
      switch json.bytes[index] {
      case UInt8(ascii: "\""):
        json.index = index + 1
        return (start..<index, isEscaped)
      case UInt8(ascii: "\\"):
        index += 1
        guard index < end, json.bytes[index] == UInt8(ascii: "\"") || json.bytes[index] == UInt8(ascii: "\\")
        else { throw NonCanonical() }
        isEscaped = true
      case 0x20...0x7E: break
      default: throw NonCanonical()
      }
      index += 1
    }
    throw NonCanonical()
  }

  /// A whole number as JSON has it, of at most so many digits.
  private mutating func number(digits: Int) throws(NonCanonical) -> Int {
    let start = json.index
    var value = 0
    while json.index < json.bytes.count, ASCII.isDigit(json.bytes[json.index]), json.index - start <= digits {
      value = 10 * value + Int(json.bytes[json.index] & 0x0F)
      json.index += 1
    }
    let count = json.index - start
    guard 1...digits ~= count, count == 1 || json.bytes[start] != UInt8(ascii: "0") else {
      throw NonCanonical()
    }
    return value
  }
}
