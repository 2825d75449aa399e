import TapedeckHTTP

/// Recognises an interaction file in the very form that `FileLayout` gives it, in one pass over its bytes, and takes
/// from it what has to be known before its answer is asked for.
///
/// All of the file is checked, but of the answer nothing is made. What it takes, the full reader
/// (`InteractionFormat.decode`) takes too and makes the same of. What it does not know — another layout, members of
/// the user's own, trailers, bodies in files, anything wrong — it leaves to that reader, which alone says what is an
/// error.
struct OutlineScan {
  /// Not for this scan.
  struct Unfamiliar: Error {}

  /// Deeper than this is for the full reader, which counts from the top of the file.
  private static let maximumDepth = 500

  var json: JSONReader
  private let loader: BodyLoader
  let lastFields: LastFields

  private init(_ bytes: UnsafeRawBufferPointer, _ loader: BodyLoader, _ lastFields: LastFields) {
    json = JSONReader(stepping: bytes, maximumDepth: Self.maximumDepth)
    self.loader = loader
    self.lastFields = lastFields
  }

  /// - Parameter loader: for the body of the request.
  /// - Returns: nil for what the full reader has to read.
  static func outline(
    of bytes: UnsafeRawBufferPointer, loader: BodyLoader, lastFields: LastFields
  ) -> InteractionOutline? {
    var scan = OutlineScan(bytes, loader, lastFields)
    return try? scan.interaction()
  }

  private mutating func interaction() throws(Unfamiliar) -> InteractionOutline {
    try expect("{\n  \"request\": {\n    \"method\": \"")
    let request = try request()
    try expect("\n  },\n  \"response\": {\n    \"version\": \"HTTP/1.")
    let (status, hidden) = try response(to: request.method)
    try expect("\n  },\n  \"volatile\": {")
    let facts = try facts()
    guard !hidden.hidesDate || facts.hasDate, json.index == json.bytes.count else { throw Unfamiliar() }
    return InteractionOutline(
      recorded: RecordedRequest(request), status: status, recordedAtMicroseconds: facts.recordedAt,
      varying: hidden.varying)
  }

  // MARK: The request

  private mutating func request() throws(Unfamiliar) -> HTTPRequest {
    let method = String(decoding: bytes(try plainText()), as: UTF8.self)
    guard HTTPMethod.isValid(method) else { throw Unfamiliar() }
    try expect(",\n    \"target\": \"")
    let target = Array(bytes(try plainText()))
    guard target.first == UInt8(ascii: "/"), !target.contains(0x20) else { throw Unfamiliar() }
    try expect(",\n    \"headers\": [")
    var fields = try requestFields()
    var host: [UInt8]?
    if json.take(",\n    \"host\": \"") { host = Array(bytes(try plainText())) }
    let body = try requestBody()
    InteractionFormat.correctLength(in: &fields, to: body.count)
    var request = HTTPRequest(
      method: HTTPMethod(rawValue: method), target: target, fields: fields,
      authority: host ?? lastFields.host)
    request.body = body
    return request
  }

  /// The body, which is part of the key, is read by the full reader.
  private mutating func requestBody() throws(Unfamiliar) -> [UInt8] {
    guard json.take(",\n    \"body\": ") else { return [] }
    let start = json.index
    guard json.takeValue() else { throw Unfamiliar() }
    guard let value = try? JSONValue(parsing: Array(bytes(start..<json.index))),
      let decoded = try? BodyFormat.decode(value, at: .document),
      case .bytes(let bytes)? = try? loader.body(decoded, at: .document, in: "")
    else { throw Unfamiliar() }
    return bytes
  }

  // MARK: The answer

  private mutating func response(
    to method: HTTPMethod
  ) throws(Unfamiliar) -> (status: Int, fields: ResponseFields) {
    guard json.take("1\"") || json.take("0\"") else { throw Unfamiliar() }
    try expect(",\n    \"status\": ")
    let status = try number(digits: 3)
    guard status >= 100 else { throw Unfamiliar() }
    if json.take(",\n    \"reason\": \"") { _ = try plainText() }
    try expect(",\n    \"headers\": [")
    let hidden = try responseFields()
    if hidden.mayLackLength, BodyFraming.hasNoBody(status: status, method: method) { throw Unfamiliar() }
    if json.take(",\n    \"body\": {\n      ") { try responseBody() }
    if json.take(",\n    \"chunks\": [") { try chunks() }
    _ = json.take(",\n    \"closeDelimited\": true")
    return (status, hidden)
  }

  private mutating func responseBody() throws(Unfamiliar) {
    if json.take("\"json\": ") {
      guard json.takeValue() else { throw Unfamiliar() }
      if json.take(",\n      \"style\": \"") { try style() }
    } else {
      try expect("\"text\": [")
      // Half a surrogate, which no text can hold, would hide in an escape.
      json.hasMetCodeUnits = false
      repeat {
        try expect("\n        ")
        guard json.takeString() else { throw Unfamiliar() }
      } while json.take(",")
      guard !json.hasMetCodeUnits else { throw Unfamiliar() }
      try expect("\n      ]")
    }
    try expect("\n    }")
  }

  private mutating func style() throws(Unfamiliar) {
    if json.take("compact\"") { return }
    guard JSONStyle(name: String(decoding: bytes(try plainText()), as: UTF8.self)) != nil else {
      throw Unfamiliar()
    }
  }

  /// Sizes, and pairs of a size and a count, each at least 1.
  private mutating func chunks() throws(Unfamiliar) {
    var count = 0
    repeat {
      if json.take("[") {
        guard try number(digits: 9) > 0 else { throw Unfamiliar() }
        try expect(", ")
        let repeats = try number(digits: 7)
        guard repeats > 0 else { throw Unfamiliar() }
        count += repeats
        try expect("]")
      } else {
        guard try number(digits: 9) > 0 else { throw Unfamiliar() }
        count += 1
      }
    } while json.take(", ")
    // One more may come to stand for the rest of a body that was edited.
    guard count < CassetteLimits.chunks else { throw Unfamiliar() }
    try expect("]")
  }
}
