import Synchronization

/// Loads the interaction files of a cassette: one after another, or, where only what is needed of them is taken, by
/// several threads in blocks.
final class AnswerLoad: Sendable {
  private struct State {
    /// By the number of the block.
    var blocks: [[LoadedAnswer]]
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
    state = Mutex(State(blocks: Array(repeating: [], count: Self.blocks(names.count))))
  }

  private static func blocks(_ files: Int) -> Int { (files + blockFiles - 1) / blockFiles }

  /// - Parameter reader: for what this thread reads.
  func answers(
    _ reading: AnswerReading, by reader: CassetteReader, _ load: inout CassetteLoad
  ) throws(CassetteError) -> [LoadedAnswer] {
    switch reading {
    case .atOnce: return try whole(by: reader, &load)
    case .whenAsked:
      Workers.run(atMost: Self.blocks(names.count)) { self.work() }
      let answers = try state.withLock { state throws(CassetteError) in
        if let failure = state.failure { throw failure.error }
        return state.blocks
      }.flatMap(\.self)
      for answer in answers { try load.add(bytes: answer.bytes) }
      return answers
    }
  }

  private func whole(
    by reader: CassetteReader, _ load: inout CassetteLoad
  ) throws(CassetteError) -> [LoadedAnswer] {
    var answers: [LoadedAnswer] = []
    answers.reserveCapacity(names.count)
    for (index, name) in names.enumerated() {
      if let stored = try reader.interaction(name) {
        try load.add(bytes: stored.bytes)
        answers.append(LoadedAnswer(stored))
      }
      if index % Self.blockFiles == Self.blockFiles - 1 { progress(index + 1, names.count) }
    }
    return answers
  }

  /// Takes block after block, until there are none or something is wrong: then those before it are still finished.
  private func work() {
    let reader = CassetteReader(directory, matcher: matcher)
    let buffer = FileBuffer()
    while true {
      let block = nextBlock.wrappingAdd(1, ordering: .relaxed).oldValue
      guard block < Self.blocks(names.count), !hasFailed(before: block) else { return }
      let files = names[block * Self.blockFiles..<min((block + 1) * Self.blockFiles, names.count)]
      do throws(CassetteError) {
        let answers = try Self.outlines(files, reader, buffer)
        state.withLock { $0.blocks[block] = answers }
      } catch {
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

  private static func outlines(
    _ files: ArraySlice<String>, _ reader: CassetteReader, _ buffer: FileBuffer
  ) throws(CassetteError) -> [LoadedAnswer] {
    var answers: [LoadedAnswer] = []
    answers.reserveCapacity(files.count)
    for name in files {
      if let answer = try reader.outline(name, through: buffer) { answers.append(answer) }
    }
    return answers
  }
}
