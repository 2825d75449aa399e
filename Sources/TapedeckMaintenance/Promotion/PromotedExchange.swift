import TapedeckFormats
package import TapedeckHTTP
package import TapedeckRecording

/// The parts of a recorded exchange that inference needs.
package struct PromotedExchange: Sendable {
  package let file: String
  package let request: HTTPRequest
  let status: Int
  /// The segments of the path, decoded.
  let path: [String]
  let query: [(name: String, value: String)]
  /// The request's body; `nil` if it is not a JSON object.
  let sent: JSONValue?
  let responseFields: HTTPFields
  /// The response's body; `nil` if it is not JSON.
  let response: JSONValue?
  let recordedAtMicroseconds: Int
  var index = 0

  package init(_ interaction: Interaction, file: String) {
    let response = interaction.response
    var body = response.body.opened(response.head.fields)?.content
    if body == nil, case .bytes(let bytes) = response.body, !bytes.isEmpty { body = bytes }
    self.init(
      request: interaction.request, status: response.head.status, fields: response.head.fields,
      response: body, file: file, at: interaction.volatile.recordedAtMicroseconds ?? 0)
  }

  init(
    request: HTTPRequest, status: Int, fields: HTTPFields = HTTPFields(), response: [UInt8]?, file: String,
    at microseconds: Int
  ) {
    responseFields = fields
    self.file = file
    self.request = request
    self.status = status
    recordedAtMicroseconds = microseconds
    path = request.path.split(separator: UInt8(ascii: "/")).map {
      String(decoding: PercentCoding.decode($0), as: UTF8.self)
    }
    query = (request.query.map { FormPairs($0).pairs } ?? []).map { pair in
      (String(decoding: pair.name, as: UTF8.self), String(decoding: pair.value, as: UTF8.self))
    }
    let sent = try? JSONValue(parsing: request.body)
    self.sent = sent?.members == nil ? JSONValue?.none : sent
    self.response = response.flatMap { try? JSONValue(parsing: $0) }
  }

  var method: HTTPMethod { request.method }
  var isGood: Bool { (200..<300).contains(status) }
  var isMissing: Bool { status == 404 || status == 410 }

  /// Like `GET /users/1`.
  package var line: String { "\(method.rawValue) \(request.targetText)" }
}

// MARK: - Order

extension PromotedExchange {
  private static let longestTie = 64

  /// Sorts exchanges by time. The times of some imported exchanges are precise only to the second; exchanges with equal
  /// times are sorted so that an object is created before it is mentioned, and mentioned before it is removed.
  static func sorted(_ exchanges: [PromotedExchange]) -> [PromotedExchange] {
    exchanges.enumerated().sorted {
      ($0.element.recordedAtMicroseconds, $0.offset) < ($1.element.recordedAtMicroseconds, $1.offset)
    }.map(\.element).groupedInOrder(by: \.recordedAtMicroseconds).flatMap { _, tied in
      tied.count > longestTie ? tied : untied(tied)
    }
  }

  private static func untied(_ tied: [PromotedExchange]) -> [PromotedExchange] {
    var rest = tied.map { (exchange: $0, facts: Facts($0)) }
    var sorted: [PromotedExchange] = []
    while !rest.isEmpty {
      let next = rest.indices.first { index in
        !rest.indices.contains { $0 != index && rest[$0].facts.goBefore(rest[index].facts) }
      }
      sorted.append(rest.remove(at: next ?? 0).exchange)
    }
    return sorted
  }

  /// The ids that an exchange creates, removes, does not find, and mentions.
  private struct Facts {
    var made: String?
    var gone: String?
    var missed: String?
    var spokenOf: Set<String>

    init(_ exchange: PromotedExchange) {
      let objects = exchange.response.map { $0.array ?? [$0] } ?? []
      spokenOf = Set(exchange.path.dropFirst() + objects.compactMap { $0["id"]?.idText })
      if exchange.method == .post, exchange.isGood, let id = exchange.response?["id"]?.idText,
        !exchange.path.contains(id)
      {
        made = id
      }
      if exchange.method == .delete, exchange.isGood { gone = exchange.path.last }
      if exchange.isMissing { missed = exchange.path.last }
    }

    func goBefore(_ other: Facts) -> Bool {
      if let made, other.spokenOf.contains(made), other.made != made { return true }
      if let gone, other.missed == gone { return true }
      guard let gone = other.gone, missed != gone, self.gone != gone else { return false }
      return spokenOf.contains(gone)
    }
  }
}
