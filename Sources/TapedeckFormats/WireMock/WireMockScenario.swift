/// States of a scenario in the order in which they follow each other.
enum WireMockScenario {
  private static let start = "Started"

  /// The mappings' indices from the state every scenario begins in; nil when they are no single chain.
  static func order(_ mappings: [WireMockMapping]) -> [Int]? {
    guard Set(mappings.map(\.scenario)).count == 1 else { return nil }
    var order: [Int] = []
    var state: String? = start
    while let now = state, order.count < mappings.count {
      let found = mappings.indices.filter { (mappings[$0].requiredState ?? start) == now }
      guard found.count == 1, let index = found.first, !order.contains(index) else { return nil }
      order.append(index)
      state = mappings[index].newState
    }
    return order.count == mappings.count && state == nil ? order : nil
  }
}
