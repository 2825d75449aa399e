internal import TapedeckHTTP

/// The order in which a session happened. Recordings know it to the microsecond, imported ones to the
/// second at times; where two have one time, what must have come first
/// comes first: an object is made before it is spoken of, and spoken of before it is gone.
enum PromotedOrder {
  private static let longestTie = 64

  static func sorted(_ exchanges: [PromotedExchange]) -> [PromotedExchange] {
    let byTime = exchanges.enumerated().sorted {
      ($0.element.recordedAtMicroseconds, $0.offset) < ($1.element.recordedAtMicroseconds, $1.offset)
    }.map(\.element)
    var sorted: [PromotedExchange] = []
    var start = 0
    while start < byTime.count {
      var end = start + 1
      while end < byTime.count,
        byTime[end].recordedAtMicroseconds == byTime[start].recordedAtMicroseconds
      { end += 1 }
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
      let objects = exchange.answer.map { $0.array ?? [$0] } ?? []
      spokenOf = Set(exchange.path.dropFirst() + objects.compactMap { $0["id"]?.idText })
      if exchange.method == .post, exchange.isGood, let made = exchange.answer?["id"]?.idText,
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
