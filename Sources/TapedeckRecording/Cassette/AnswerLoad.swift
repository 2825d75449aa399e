import Synchronization

/// Loads the interaction files of a cassette: one after another, or, where only what is needed of them is taken, by
/// several threads in blocks.
final class AnswerLoad: Sendable {
  private struct State {
    /// By the number of the block.
    var blocks: [[StoredInteraction]]
    var load: CassetteLoad
    /// What went wrong first, in the order of the names.
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
        load: CassetteLoad(path: directory.path)))
  }

  private static func blocks(_ files: Int) -> Int { (files + blockFiles - 1) / blockFiles }

  /// - Parameters:
  ///   - reader: for what this thread reads.
  ///   - load: gets what they come to.
  func answers(
    _ reading: AnswerReading, by reader: CassetteReader, _ load: inout CassetteLoad
  ) throws(CassetteError) -> [StoredInteraction] {
    guard case .whenAsked(let few) = reading, names.count > few else { return try whole(by: reader, &load) }
    Workers.run(atMost: Self.blocks(names.count)) { self.work() }
    let loaded = try state.withLock { state throws(CassetteError) in
      if let failure = state.failure { throw failure.error }
      return (state.blocks, state.load)
    }
    load = loaded.1
    return Array(loaded.0.joined())
  }

  private func whole(
    by reader: CassetteReader, _ load: inout CassetteLoad
  ) throws(CassetteError) -> [StoredInteraction] {
    var answers: [StoredInteraction] = []
    answers.reserveCapacity(names.count)
    for (index, name) in names.enumerated() {
      if let stored = try reader.interaction(name) {
        try load.add(stored)
        answers.append(StoredInteraction(LoadedAnswer(stored)))
      }
      if index % Self.blockFiles == Self.blockFiles - 1 { progress(index + 1, names.count) }
    }
    return answers
  }

  /// Takes block after block, until there are none or something is wrong: then those before it are still finished.
  private func work() {
    let reader = CassetteReader(directory, matcher: matcher)
    let outlines = OutlineReader(reader)
    while true {
      let block = nextBlock.wrappingAdd(1, ordering: .relaxed).oldValue
      guard block < Self.blocks(names.count), !hasFailed(before: block) else { return }
      let files = names[block * Self.blockFiles..<min((block + 1) * Self.blockFiles, names.count)]
      do throws(CassetteError) { try read(files, outlines, into: block) } catch {
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
    _ files: ArraySlice<String>, _ outlines: OutlineReader, into block: Int
  ) throws(CassetteError) {
    var answers: [StoredInteraction] = []
    answers.reserveCapacity(files.count)
    var bytes = 0
    for name in files {
      guard let loaded = try outlines.answer(name) else { continue }
      bytes += loaded.bytes
      answers.append(StoredInteraction(loaded, in: directory))
    }
    try state.withLock { state throws(CassetteError) in
      try state.load.add(interactions: answers.count, bytes: bytes)
      state.blocks[block] = answers
    }
  }
}
