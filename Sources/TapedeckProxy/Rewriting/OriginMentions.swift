internal import Synchronization
internal import TapedeckHTTP

/// Something in a response that names the origin and is left as it is, so that a client that follows it leaves us.
public struct OriginMention: Sendable, Equatable {
  /// Like ``field X-Next-Page`` or ```next` in the body``.
  public let what: String
  /// Of the first response that holds it, like `GET /items`; without the query.
  public let request: String
  /// What to do about it, in words.
  public let advice: String

  /// For a line of text.
  public var description: String { "\(what) of \(request); \(advice)" }
}

extension OriginMention {
  /// The text that is told once a run.
  enum Kind: Hashable {
    case field(String)
    /// A field that is rewritten, with a reference that lies outside the path that is served.
    case outside(String)
    /// - Parameter member: the JSON member that holds it, where that can be seen.
    case body(member: String?)
    /// One whose name demands `Secure`.
    case secureCookie(String)

    /// What two mentions share of which only the first is told.
    var subject: String {
      switch self {
      case .field(let name): "field \(name.lowercased())"
      case .outside(let name): "outside \(name.lowercased())"
      case .body: "body"
      case .secureCookie: "cookie"
      }
    }
  }

  /// - Parameter namesOptions: whether the options of the command may be advised, not the properties of a program.
  init(_ kind: Kind, of request: HTTPRequest, namesOptions: Bool) {
    self.request = "\(request.method.rawValue) \(RequestTarget.text(Array(request.path)))"
    switch kind {
    case .field(let name):
      what = "field \(name)"
      let setting =
        namesOptions ? "--rewrite-fields \(name)" : "ProxyConfiguration.rewriting with the field \(name)"
      advice = "\(setting) makes it name the proxy"
    case .outside(let name):
      what = "field \(name)"
      let setting = namesOptions ? "--upstream" : "ProxyConfiguration.upstream"
      advice = "it leads outside of the path of \(setting), where the proxy cannot follow"
    case .body(let member):
      what = member.map { "`\($0)` in the body" } ?? "the body"
      let setting = namesOptions ? "--rewrite-bodies" : "ProxyConfiguration.rewriting.rewritesBodies"
      advice = "\(setting) makes text bodies name the proxy"
    case .secureCookie(let name):
      what = "cookie \(name)"
      advice =
        "it stays Secure, as its name demands; clients that send such cookies over https only keep it to themselves"
    }
  }
}

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
