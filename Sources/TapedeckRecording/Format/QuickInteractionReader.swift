import TapedeckHTTP

/// Reads the outline of a canonical file: the members of `InteractionFormat`, laid out as `fileBytes` does.
///
/// A fast path beside `InteractionFormat.decode` that reads the file in one pass. The full reader accepts
/// every file that this accepts, with the same outline (`QuickInteractionReaderTests`). Non-canonical files
/// (other layout, extra or rare members, errors) are left to the full reader, which alone reports errors.
struct QuickInteractionReader {
  struct NonCanonical: Error {}

  /// The full reader counts from the top of the file, and decides about deeper nesting.
  private static let maximumDepth = 500

  private var json: JSONReader
  private let loader: BodyLoader
  private let lastFields: LastFields

  private var head = HTTPRequestHead(method: .get, target: [])
  private var body: [UInt8] = []
  private var status = 0
  private var recordedAt: Int?
  /// Whether the value of the response's `Date` is null.
  private var hidesDate = false
  /// Whether that value is among the volatile facts.
  private var hasDate = false
  /// Whether the value of the response's `Content-Length` is null or empty.
  private var mayLackLength = false
  private var varying: [[UInt8]] = []

  static func outline(
    of bytes: UnsafeRawBufferPointer, loader: BodyLoader, lastFields: LastFields
  ) -> InteractionOutline? {
    var reader = QuickInteractionReader(
      json: JSONReader(stepping: bytes, maximumDepth: maximumDepth), loader: loader, lastFields: lastFields)
    return try? reader.outline()
  }

  private mutating func outline() throws(NonCanonical) -> InteractionOutline {
    try object(Self.interactionLayout) { reader, member throws(NonCanonical) in
      switch member {
      case .origin: try reader.readOrigin()
      case .request: try reader.readRequest()
      case .response:
        try reader.object(Self.responseLayout) { reader, member throws(NonCanonical) in
          try reader.read(member)
        }
      case .webSocket: throw NonCanonical()
      case .volatile:
        try reader.object(Self.volatileLayout) { reader, member throws(NonCanonical) in
          try reader.read(member)
        }
      }
    }
    try expect("\n")
    guard json.index == json.bytes.count, !hidesDate || hasDate,
      !mayLackLength || !BodyFraming.hasNoBody(status: status, method: head.method)
    else { throw NonCanonical() }
    return InteractionOutline(
      recorded: RecordedRequest(HTTPRequest(head, body: body)), status: status,
      recordedAtMicroseconds: recordedAt, varying: varying)
  }
}

// MARK: - Objects

extension QuickInteractionReader {
  /// The layout of an object: its members in order, each with the bytes before its value.
  private struct Layout<Member: FormatMember>: Sendable {
    let members: [(member: Member, opening: Range<Int>, isRequired: Bool)]
    let closing: Range<Int>
    let bytes: [UInt8]

    init(level: Int) {
      var bytes: [UInt8] = []
      func add(_ part: [UInt8]) -> Range<Int> {
        bytes += part
        return bytes.count - part.count..<bytes.count
      }
      members = Member.all.map { member in
        let opening = InteractionFormat.opening(of: JSONString(member.rawValue), level: level + 1)
        return (member, add(opening), Member.required.contains(member))
      }
      closing = add(InteractionFormat.closing("}", level: level))
      self.bytes = bytes
    }
  }

  private static let interactionLayout = Layout<InteractionFormat.Member>(level: 0)
  private static let requestLayout = Layout<InteractionFormat.RequestMember>(level: 1)
  private static let responseLayout = Layout<InteractionFormat.ResponseMember>(level: 1)
  private static let volatileLayout = Layout<InteractionFormat.VolatileMember>(level: 1)

  /// Reads the members present, in their order and no others.
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

  // MARK: The request

  private mutating func readOrigin() throws(NonCanonical) {
    guard let origin = HTTPOrigin(String(decoding: try plainString(), as: UTF8.self)) else {
      throw NonCanonical()
    }
    head.name(origin)
  }

  private mutating func readRequest() throws(NonCanonical) {
    try object(Self.requestLayout) { reader, member throws(NonCanonical) in try reader.read(member) }
    if head.authority.isEmpty, !head.fields.isEmpty { head.authority = lastFields.host }
    InteractionFormat.correctLength(in: &head.fields, to: body.count)
  }

  private mutating func read(_ member: InteractionFormat.RequestMember) throws(NonCanonical) {
    switch member {
    case .method:
      let method = String(decoding: try plainString(), as: UTF8.self)
      guard HTTPMethod.isValid(method) else { throw NonCanonical() }
      head.method = HTTPMethod(rawValue: method)
    case .target:
      head.target = Array(try plainString())
      guard head.target.first == UInt8(ascii: "/"), !head.target.contains(0x20) else {
        throw NonCanonical()
      }
    case .headers: head.fields = try requestFields()
    case .host:
      guard !head.namesOrigin else { throw NonCanonical() }
      head.authority = Array(try plainString())
      guard !head.authority.isEmpty else { throw NonCanonical() }
    case .body: body = try requestBody()
    case .trailers: throw NonCanonical()
    }
  }

  /// Leaves a body to the full reader, because it is part of the key.
  private mutating func requestBody() throws(NonCanonical) -> [UInt8] {
    let start = json.index
    guard json.takeValue(), let value = try? JSONValue(parsing: Array(bytes(start..<json.index))),
      case .bytes(let bytes)? = try? loader.body(value, at: .document, in: "")
    else { throw NonCanonical() }
    return bytes
  }

  // MARK: The response

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
        JSONStyle(name: String(decoding: try plainString(), as: UTF8.self)) == nil
      {
        throw NonCanonical()
      }
    } else {
      try expect("text\": [")
      // An escape may hide half a surrogate, which no text can hold.
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

  private mutating func chunks() throws(NonCanonical) {
    try expect("[")
    var count = 0
    repeat {
      let isRun = json.take("[")
      guard try number(digits: 9) > 0 else { throw NonCanonical() }
      var repeats = 1
      if isRun {
        try expect(", ")
        repeats = try number(digits: 7)
        try expect("]")
      }
      guard repeats > 0 else { throw NonCanonical() }
      count += repeats
    } while json.take(", ")
    // One more may cover the rest of an edited body.
    guard count < CassetteLimits.chunks else { throw NonCanonical() }
    try expect("]")
  }
}

// MARK: - Fields

extension QuickInteractionReader {
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

  /// Reads fields of which only the value of `Content-Length` may be null.
  private mutating func writtenFields() throws(NonCanonical) -> HTTPFields {
    var fields = HTTPFields()
    try eachPair { _, name, value, isEscaped throws(NonCanonical) in
      guard value != nil || ASCII.equal(name, lowercase: "content-length") else { throw NonCanonical() }
      do throws(HTTPFieldError) {
        if isEscaped {
          try fields.append(nameBytes: Array(name)[...], valueBytes: Self.unescaped(value)[...])
        } else {
          try fields.append(
            nameBytes: name, valueBytes: value ?? UnsafeRawBufferPointer(rebasing: name[..<0]))
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
    try eachPair { reader, name, value, _ throws(NonCanonical) in
      guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else { throw NonCanonical() }
      if ASCII.equal(name, lowercase: "content-length") {
        if value?.allSatisfy(ASCII.isBlank) ?? true { reader.mayLackLength = true }
      } else if value == nil {
        guard ASCII.equal(name, lowercase: "date") else { throw NonCanonical() }
        reader.hidesDate = true
      } else if ASCII.equal(name, lowercase: "vary") {
        vary.append(Self.unescaped(value)[...])
      }
    }
    if !vary.isEmpty { varying = ClientIdentity.varying(vary) }
  }

  /// Calls with every `["Name", "value"]` of a list; the value is `nil` for null.
  private mutating func eachPair(
    _ take: (
      inout Self, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ isEscaped: Bool
    ) throws(NonCanonical) -> Void
  ) throws(NonCanonical) {
    try expect("[")
    if json.take("]") { return }
    repeat {
      try expect("\n      [")
      let name = try plainString()
      try expect(", ")
      var (value, isEscaped): (UnsafeRawBufferPointer?, Bool) = (nil, false)
      if !json.take("null") { (value, isEscaped) = try string() }
      try expect("]")
      try take(&self, name, value, isEscaped)
    } while json.take(",")
    try expect("\n    ]")
  }

  // MARK: Volatile facts

  private mutating func read(_ member: InteractionFormat.VolatileMember) throws(NonCanonical) {
    switch member {
    case .recordedAt:
      recordedAt = Timestamp.microseconds(try plainString())
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

  /// Reads digits with an optional fraction, too few to exceed `VolatileFacts.milliseconds`.
  private mutating func milliseconds() throws(NonCanonical) {
    _ = try number(digits: 12)
    guard json.take(".") else { return }
    let start = json.index
    while json.index < json.bytes.count, ASCII.isDigit(json.bytes[json.index]) { json.index += 1 }
    guard json.index > start else { throw NonCanonical() }
  }

  // MARK: Tokens

  private func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: json.bytes[range])
  }

  private mutating func expect(_ text: StaticString) throws(NonCanonical) {
    guard json.take(text) else { throw NonCanonical() }
  }

  /// Reads a string of visible ASCII and blanks without escapes.
  private mutating func plainString() throws(NonCanonical) -> UnsafeRawBufferPointer {
    let (text, isEscaped) = try string()
    guard let text, !isEscaped else { throw NonCanonical() }
    return text
  }

  /// Reads such a string, in which quotes and backslashes may be escaped.
  private mutating func string() throws(NonCanonical) -> (UnsafeRawBufferPointer?, isEscaped: Bool) {
    try expect("\"")
    let start = json.index
    var index = start
    var isEscaped = false
    while index < json.bytes.count {
      switch json.bytes[index] {
      case UInt8(ascii: "\""):
        json.index = index + 1
        return (bytes(start..<index), isEscaped)
      case UInt8(ascii: "\\"):
        index += 1
        guard index < json.bytes.count,
          json.bytes[index] == UInt8(ascii: "\"") || json.bytes[index] == UInt8(ascii: "\\")
        else { throw NonCanonical() }
        isEscaped = true
      case 0x20...0x7E: break
      default: throw NonCanonical()
      }
      index += 1
    }
    throw NonCanonical()
  }

  /// Reads a JSON integer of at most `digits` digits.
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
