public import TapedeckHTTP
public import TapedeckRecording

/// A recorded exchange as inference looks at it.
public struct PromotedExchange: Sendable {
  /// Of the recording.
  public let file: String
  public let request: HTTPRequest
  public let status: Int
  /// The steps of the path, decoded.
  public let path: [String]
  public let query: [(name: String, value: String)]
  /// What the request carries; nil where that is no JSON object.
  public let sent: JSONValue?
  /// The fields of the answer.
  public let answerFields: HTTPFields
  /// The answer; nil where it is no JSON.
  public let answer: JSONValue?
  let recordedAtMicroseconds: Int

  public init(_ interaction: Interaction, file: String) {
    self.init(
      request: interaction.request, status: interaction.response.head.status,
      fields: interaction.response.head.fields, answer: Self.body(of: interaction.response), file: file,
      at: interaction.volatile.recordedAtMicroseconds ?? 0)
  }

  init(
    request: HTTPRequest, status: Int, fields: HTTPFields = HTTPFields(), answer: [UInt8]?, file: String,
    at microseconds: Int
  ) {
    answerFields = fields
    self.file = file
    self.request = request
    self.status = status
    recordedAtMicroseconds = microseconds
    path = request.path.split(separator: UInt8(ascii: "/")).map {
      String(decoding: PercentCoding.decode($0), as: UTF8.self)
    }
    query = (request.query ?? []).split(separator: UInt8(ascii: "&")).map { item in
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: PercentCoding.decode($0, plusIsSpace: true), as: UTF8.self) }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    sent = request.body.isEmpty ? nil : Self.object(request.body)
    self.answer = answer.flatMap { try? JSONValue(parsing: $0) }
  }

  private static func object(_ bytes: [UInt8]) -> JSONValue? {
    guard let value = try? JSONValue(parsing: bytes), value.members != nil else { return nil }
    return value
  }

  private static func body(of response: RecordedResponse) -> [UInt8]? {
    if let opened = response.body.opened(response.head.fields) { return opened.content }
    guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return nil }
    return bytes
  }

  var method: HTTPMethod { request.method }
  var isGood: Bool { (200..<300).contains(status) }

  /// Like `GET /users/1`.
  public var line: String { "\(method.rawValue) \(request.targetText)" }
}

extension JSONValue {
  /// The id that this may be: a text that is not empty, or a whole number.
  var idText: String? {
    switch self {
    case .string(let string): string.text.isEmpty ? nil : string.text
    case .number(let number): number.int.map { String($0) }
    default: nil
    }
  }

  var names: Set<String> { Set((members ?? []).map(\.name.text)) }

  /// The values at the end of a path of members.
  func value(at path: [String]) -> JSONValue? {
    path.reduce(Optional(self)) { $0?[$1] }
  }
}
