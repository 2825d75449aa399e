internal import Synchronization
internal import TapedeckHTTP

/// Where responses name the origin and are not rewritten. Each place is told once, when it is first seen.
final class OriginMentions: Sendable {
  static let maximum = 20

  private struct State {
    var subjects: Set<String> = []
    var mentions: [OriginMention] = []
    /// Mentions that wait to be told; `nil` where they are told at once.
    var held: [OriginMention]?
  }

  private let state = Mutex(State())
  private let isBodyKnown = Atomic<Bool>(false)
  private let namesOptions: Bool
  private let notice: @Sendable (String) -> Void

  init(namesOptions: Bool = true, notice: @escaping @Sendable (String) -> Void) {
    self.namesOptions = namesOptions
    self.notice = notice
  }

  /// Whether nothing new can be found in bodies.
  var knowsBody: Bool { isBodyKnown.load(ordering: .relaxed) }

  /// In the order of their words.
  var all: [OriginMention] { state.withLock { Self.sorted($0.mentions) } }

  /// - Parameter request: without secrets; asked for only when the mention is new.
  func note(_ kind: OriginMention.Kind, of request: () -> HTTPRequest) {
    if case .body = kind { isBodyKnown.store(true, ordering: .relaxed) }
    let isNew = state.withLock { state in
      guard state.subjects.count < Self.maximum else { return false }
      return state.subjects.insert(kind.subject).inserted
    }
    guard isNew else { return }
    let mention = OriginMention(kind, of: request(), namesOptions: namesOptions)
    let isHeld = state.withLock { state in
      state.mentions.append(mention)
      state.held?.append(mention)
      return state.held != nil
    }
    if !isHeld { tell(mention) }
  }

  /// Tells what `body` finds when it is done, so that the order of loading does not show.
  func collecting<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.held = [] }
    defer {
      let held = state.withLock { state in
        defer { state.held = nil }
        return state.held ?? []
      }
      for mention in Self.sorted(held) { tell(mention) }
    }
    return try body()
  }

  private func tell(_ mention: OriginMention) {
    notice("warning: the origin is named by \(mention.description)")
  }

  private static func sorted(_ mentions: [OriginMention]) -> [OriginMention] {
    mentions.sorted { ($0.what, $0.request) < ($1.what, $1.request) }
  }
}
