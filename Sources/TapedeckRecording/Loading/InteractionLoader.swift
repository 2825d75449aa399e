import Synchronization

/// When the interactions of a cassette are read.
public enum InteractionReading: Sendable {
  /// When the cassette is loaded; they are held in memory, independent of the files.
  case atOnce
  /// When first needed, after a check at loading. Up to the given number of files is read at once.
  case whenAsked(above: Int)
}

/// The loaded amount of a cassette, checked against the limits.
package struct LoadedAmount {
  private let path: String
  private var interactions = 0
  private var bytes = 0

  package init(path: String) { self.path = path }

  package mutating func add(_ stored: StoredInteraction) throws(CassetteError) {
    interactions += 1
    bytes += stored.bytes
    guard interactions <= CassetteLimits.interactions else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.interactions) interactions")
    }
    guard bytes <= CassetteLimits.loadedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.loadedBytes) bytes to hold in memory")
    }
  }
}

/// Loads interaction files: one by one, or in blocks on several threads when only outlines are read.
final class InteractionLoader: Sendable {
  private struct State {
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

  func interactions(
    _ reading: InteractionReading, _ loaded: inout LoadedAmount
  ) throws(CassetteError) -> [StoredInteraction] {
    if case .whenAsked(let few) = reading, names.count > few {
      Workers.run(atMost: Self.blocks(names.count)) {
        self.work { reader, name throws(CassetteError) in try reader.outlined(name) }
      }
    } else {
      work { reader, name throws(CassetteError) in try reader.interaction(name) }
    }
    return try state.withLock { state throws(CassetteError) in
      if let failure = state.failure { throw failure.error }
      loaded = state.loaded
      return Array(state.blocks.joined())
    }
  }

  /// Takes blocks until none are left. After a failure, only earlier blocks are finished.
  private func work(
    _ read: (CassetteReader, String) throws(CassetteError) -> StoredInteraction?
  ) {
    let reader = CassetteReader(directory, matcher: matcher)
    while true {
      let block = nextBlock.wrappingAdd(1, ordering: .relaxed).oldValue
      let hasFailed = state.withLock { state in state.failure.map { $0.block < block } ?? false }
      guard block < Self.blocks(names.count), !hasFailed else { return }
      let files = names[block * Self.blockFiles..<min((block + 1) * Self.blockFiles, names.count)]
      do throws(CassetteError) {
        let interactions = try files.map { name throws(CassetteError) in try read(reader, name) }
          .compactMap(\.self)
        try state.withLock { state throws(CassetteError) in
          for interaction in interactions { try state.loaded.add(interaction) }
          state.blocks[block] = interactions
        }
      } catch {
        state.withLock { state in
          if state.failure.map({ block < $0.block }) ?? true { state.failure = (block, error) }
        }
      }
      progress(done.wrappingAdd(files.count, ordering: .relaxed).newValue, names.count)
    }
  }
}
