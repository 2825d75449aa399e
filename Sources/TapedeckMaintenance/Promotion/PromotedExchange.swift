package import TapedeckHTTP
package import TapedeckRecording

/// A recorded exchange, in the parts that inference needs.
package struct PromotedExchange: Sendable {
  /// The recording's file.
  package let file: String
  package let request: HTTPRequest
  package let status: Int
  /// The segments of the path, decoded.
  package let path: [String]
  package let query: [(name: String, value: String)]
  /// The request's body; nil where it is no JSON object.
  package let sent: JSONValue?
  package let responseFields: HTTPFields
  /// The response's body; nil where it is no JSON.
  package let response: JSONValue?
  let recordedAtMicroseconds: Int

  package init(_ interaction: Interaction, file: String) {
    self.init(
      request: interaction.request, status: interaction.response.head.status,
      fields: interaction.response.head.fields, response: Self.body(of: interaction.response), file: file,
      at: interaction.volatile.recordedAtMicroseconds ?? 0)
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
    query = (request.query ?? []).split(separator: UInt8(ascii: "&")).map { item in
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map
      { String(decoding: PercentCoding.decode($0, plusIsSpace: true), as: UTF8.self) }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    sent = request.body.isEmpty ? nil : Self.object(request.body)
    self.response = response.flatMap { try? JSONValue(parsing: $0) }
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
  package var line: String { "\(method.rawValue) \(request.targetText)" }
}

// MARK: - Order

extension PromotedExchange {
  private static let longestTie = 64

  /// Sorts exchanges into the order in which they happened. Recordings know it to the microsecond, imported ones at times
  /// to the second; of exchanges with equal times, what must have come first comes first: an object is made before it
  /// is spoken of, and spoken of before it is gone.
  static func sorted(_ exchanges: [PromotedExchange]) -> [PromotedExchange] {
    let byTime = exchanges.enumerated().sorted {
      ($0.element.recordedAtMicroseconds, $0.offset) < ($1.element.recordedAtMicroseconds, $1.offset)
    }.map(\.element)
    var sorted: [PromotedExchange] = []
    var start = 0
    while start < byTime.count {
      var end = start + 1
      while end < byTime.count, byTime[end].recordedAtMicroseconds == byTime[start].recordedAtMicroseconds {
        end += 1
      }
      sorted += end - start > longestTie ? Array(byTime[start..<end]) : untied(Array(byTime[start..<end]))
      start = end
    }
    return sorted
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

  private struct Facts {
    var made: String?
    var gone: String?
    var missed: String?
    var spokenOf: Set<String>

    init(_ exchange: PromotedExchange) {
      let id = exchange.path.last
      let objects = exchange.response.map { $0.array ?? [$0] } ?? []
      spokenOf = Set(exchange.path.dropFirst() + objects.compactMap { $0["id"]?.idText })
      if exchange.method == .post, exchange.isGood, let made = exchange.response?["id"]?.idText,
        !exchange.path.contains(made)
      {
        self.made = made
      }
      if exchange.method == .delete, exchange.isGood { gone = id }
      if exchange.status == 404 || exchange.status == 410 { missed = id }
    }

    func goBefore(_ other: Facts) -> Bool {
      if let made, other.spokenOf.contains(made), other.made != made { return true }
      if let gone, other.missed == gone { return true }
      guard let gone = other.gone, missed != gone, self.gone != gone else { return false }
      return spokenOf.contains(gone)
    }
  }
}
