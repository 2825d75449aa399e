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
