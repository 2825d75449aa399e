internal import Synchronization

extension Workers {
  private static let blockItems = 64

  private struct Progress<Item: Sendable>: Sendable {
    var blocks: [[Item]]
    /// The first failure, in the order of the items.
    var failure: (block: Int, error: CassetteError)?
  }

  /// Transforms blocks of items on several threads; a few items on this one alone.
  /// - Throws: the failure of the first block that has one; blocks after it may have been transformed, or not.
  /// - Returns: the results in the order of the items.
  static func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ transform: @escaping @Sendable (ArraySlice<Item>) throws(CassetteError) -> [Result]
  ) throws(CassetteError) -> [Result] {
    let count = (items.count + blockItems - 1) / blockItems
    let next = SharedCounter()
    let progress = SharedProgress(Progress<Result>(blocks: Array(repeating: [], count: count)))
    run(atMost: count) {
      while true {
        let block = next.take()
        let hasFailed = progress.value.withLock { state in state.failure.map { $0.block < block } ?? false }
        guard block < count, !hasFailed else { return }
        let range = block * blockItems..<min((block + 1) * blockItems, items.count)
        do throws(CassetteError) {
          let results = try transform(items[range])
          progress.value.withLock { $0.blocks[block] = results }
        } catch {
          progress.value.withLock { state in
            if state.failure.map({ block < $0.block }) ?? true { state.failure = (block, error) }
          }
        }
      }
    }
    return try progress.value.withLock { state throws(CassetteError) in
      if let failure = state.failure { throw failure.error }
      return Array(state.blocks.joined())
    }
  }

  private final class SharedCounter: Sendable {
    private let number = Atomic<Int>(0)

    func take() -> Int { number.wrappingAdd(1, ordering: .relaxed).oldValue }
  }

  private final class SharedProgress<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
  }
}
