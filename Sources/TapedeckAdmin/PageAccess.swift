internal import Synchronization
internal import TapedeckSockets

/// Lets the inspector page in. A single-use code travels in the fragment of the page's URL, which no server, log or
/// referrer sees; the page trades it for a token of its own. All tokens end with the run.
final class PageAccess: Sendable {
  private struct State {
    var codes: [(code: AdminToken, end: MonotonicTime)] = []
    var tokens: [AdminToken] = []
    var isOver = false
  }

  /// Beyond these, the oldest ends.
  static let maximumCodes = 16
  static let maximumTokens = 64
  static let codeMilliseconds = 5 * 60 * 1000
  private static let codeBits = 256

  private let state = Mutex(State())

  /// A code that can be traded once, for five minutes.
  func makeCode(now: MonotonicTime = .now) throws(AdminError) -> AdminToken {
    let code = try AdminToken.random(bits: Self.codeBits)
    state.withLock { state in
      state.codes.removeAll { $0.end <= now }
      if state.codes.count >= Self.maximumCodes { state.codes.removeFirst() }
      state.codes.append((code, now.adding(milliseconds: Self.codeMilliseconds)))
    }
    return code
  }

  /// The token for a code; `nil` for one that is wrong, used or too old.
  func trade(_ code: String, now: MonotonicTime = .now) throws(AdminError) -> AdminToken? {
    let token = try AdminToken.random()
    return state.withLock { state in
      // Compares with every code, so that the time tells nothing.
      let places = state.codes.indices.filter { state.codes[$0].code.isEqual(to: code.utf8) }
      guard let place = places.first, !state.isOver else { return nil }
      let end = state.codes.remove(at: place).end
      guard now < end else { return nil }
      if state.tokens.count >= Self.maximumTokens { state.tokens.removeFirst() }
      state.tokens.append(token)
      return token
    }
  }

  func accepts(token: some Collection<UInt8>) -> Bool {
    state.withLock { $0.tokens.reduce(false) { $1.isEqual(to: token) || $0 } }
  }

  /// Ends all codes, tokens and feeds.
  func end() { state.withLock { $0 = State(isOver: true) } }

  var isOver: Bool { state.withLock { $0.isOver } }
}
