import Synchronization

/// When the interactions of a cassette are read.
public enum InteractionReading: Sendable {
  /// When the cassette is loaded: they are held, whatever becomes of its files.
  case atOnce
  /// Checked when the cassette is loaded, and read from their files when they are first asked for; those of up to so many
  /// files at once, since they cost next to nothing to hold.
  case whenAsked(above: Int)
}

/// How much of a cassette is loaded, held against the limits.
package struct LoadedAmount {
  private let path: String
  private var interactions = 0
  private var bytes = 0

  package init(path: String) { self.path = path }

  package mutating func add(_ stored: StoredInteraction) throws(CassetteError) {
    try add(interactions: 1, bytes: stored.bytes)
  }

  fileprivate mutating func add(interactions count: Int, bytes added: Int) throws(CassetteError) {
    interactions += count
    bytes += added
    guard interactions <= CassetteLimits.interactions else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.interactions) interactions")
    }
    guard bytes <= CassetteLimits.loadedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.loadedBytes) bytes to hold in memory")
    }
  }
}

/// Loads the interaction files of a cassette: one after another, or, where only outlines are read, in blocks on
/// several threads.
final class InteractionLoader: Sendable {
  private struct State {
    /// By the number of the block.
    var blocks: [[StoredInteraction]]
    var loaded: LoadedAmount
    /// The first failure, in the order of the names.
    var failure: (block: Int, error: CassetteError)?
  }

  private static let blockFiles = 128

  private let names: [String]
  private let directory: CassetteDirectory
  private let matcher: RequestMatcher
  private let progress: @Sendable (_ done: Int, _ total: Int) -> Void
  private let nextBlock = Atomic<Int>(0)
  private let done = Atomic<Int>(0)
  private let state: Mutex<State>

  init(
    _ names: [String], of directory: CassetteDirectory, matcher: RequestMatcher,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
  ) {
    self.names = names
    self.directory = directory
    self.matcher = matcher
    self.progress = progress
    state = Mutex(
      State(
        blocks: Array(repeating: [], count: Self.blocks(names.count)),
        loaded: LoadedAmount(path: directory.path)))
  }

  private static func blocks(_ files: Int) -> Int { (files + blockFiles - 1) / blockFiles }

  /// - Parameters:
  ///   - reader: used on this thread.
  ///   - loaded: receives the amount.
  func interactions(
    _ reading: InteractionReading, by reader: CassetteReader, _ loaded: inout LoadedAmount
  ) throws(CassetteError) -> [StoredInteraction] {
    guard case .whenAsked(let few) = reading, names.count > few else { return try whole(by: reader, &loaded) }
    Workers.run(atMost: Self.blocks(names.count)) { self.work() }
    return try state.withLock { state throws(CassetteError) in
      if let failure = state.failure { throw failure.error }
      loaded = state.loaded
      return Array(state.blocks.joined())
    }
  }

  private func whole(
    by reader: CassetteReader, _ loaded: inout LoadedAmount
  ) throws(CassetteError) -> [StoredInteraction] {
    var interactions: [StoredInteraction] = []
    interactions.reserveCapacity(names.count)
    for (index, name) in names.enumerated() {
      if let stored = try reader.interaction(name) {
        try loaded.add(stored)
        interactions.append(stored)
      }
      if index % Self.blockFiles == Self.blockFiles - 1 { progress(index + 1, names.count) }
    }
    return interactions
  }

  /// Takes block after block until none are left. After a failure, only the blocks before it are finished.
  private func work() {
    let reader = CassetteReader(directory, matcher: matcher)
    while true {
      let block = nextBlock.wrappingAdd(1, ordering: .relaxed).oldValue
      guard block < Self.blocks(names.count), !hasFailed(before: block) else { return }
      let files = names[block * Self.blockFiles..<min((block + 1) * Self.blockFiles, names.count)]
      do throws(CassetteError) { try read(files, by: reader, into: block) } catch {
        state.withLock { state in
          if state.failure.map({ block < $0.block }) ?? true { state.failure = (block, error) }
        }
      }
      progress(done.wrappingAdd(files.count, ordering: .relaxed).newValue, names.count)
    }
  }

  private func hasFailed(before block: Int) -> Bool {
    state.withLock { state in state.failure.map { $0.block < block } ?? false }
  }

  private func read(
    _ files: ArraySlice<String>, by reader: CassetteReader, into block: Int
  ) throws(CassetteError) {
    var interactions: [StoredInteraction] = []
    interactions.reserveCapacity(files.count)
    for name in files {
      if let stored = try reader.outlined(name) { interactions.append(stored) }
    }
    let bytes = interactions.reduce(0) { $0 + $1.bytes }
    try state.withLock { state throws(CassetteError) in
      try state.loaded.add(interactions: interactions.count, bytes: bytes)
      state.blocks[block] = interactions
    }
  }
}
