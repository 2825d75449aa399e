/// Something that may respond to a request. `nil` means "not mine"; a thrown error means something broke.
///
/// A responder belongs to one event loop and is called on its thread only.
package protocol Responder: AnyObject {
  /// - Parameter decisions: collects what each link does and why; `nil` if nothing needs it.
  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse?
  /// Whether it may need the body of an upload, of which only the head has come, to respond to it. If not, it is asked
  /// for a response with `uploadBytes` in the place of the body.
  func needsBody(of request: HTTPRequest) -> Bool
}

extension Responder {
  package func needsBody(of request: HTTPRequest) -> Bool { true }
}

/// Asks its responders in order; the first response wins. The order defines the behaviour of the product.
package final class ResponderChain: Responder {
  private let responders: [any Responder]

  package init(_ responders: [any Responder]) { self.responders = responders }

  package func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    for responder in responders {
      let response = try responder.respond(to: request, decisions: decisions)
      if response != nil { return response }
    }
    return nil
  }

  package func needsBody(of request: HTTPRequest) -> Bool {
    responders.contains { $0.needsBody(of: request) }
  }
}

/// A response and its source.
public struct ServedResponse {
  /// The links of the chain, by their names in the log.
  public enum Source: String, Sendable, CaseIterable {
    case route, store, cassette, upstream, unmatched, server
  }

  public enum Content {
    case prepared(PreparedResponse)
    // Out of line: responses are handed from link to link, and most are prepared.
    indirect case response(HTTPResponse)
    case stream(any ResponseSource)
  }

  public var source: Source
  public var content: Content
  /// What few responses have; `nil` for all others, so that these are handed on cheaply.
  private var extras: Extras?

  public init(_ content: Content, by source: Source) {
    self.content = content
    self.source = source
  }
}

// MARK: - What few responses have

extension ServedResponse {
  private struct Rare {
    var decisions: DecisionCollector?
    var shownTarget: [UInt8]?
    var endsConnection = false
    var opensInterception = false
    var upgrade: (any TunnelSource)?
    var upload: (any UploadSink)?
  }

  /// An object that never changes.
  private final class Extras {
    let rare: Rare

    init(_ rare: Rare) { self.rare = rare }
  }

  private var rare: Rare {
    get { extras?.rare ?? Rare() }
    set { extras = Extras(newValue) }
  }

  /// The decisions of the links, if they are collected.
  package var decisions: DecisionCollector? {
    get { extras?.rare.decisions }
    set { rare.decisions = newValue }
  }

  /// The request's target for logs, if it differs from the original.
  public var shownTarget: [UInt8]? {
    get { extras?.rare.shownTarget }
    set { if newValue != nil || extras != nil { rare.shownTarget = newValue } }
  }

  /// Whether the connection ends with this response.
  public var endsConnection: Bool {
    get { extras?.rare.endsConnection ?? false }
    set { rare.endsConnection = newValue }
  }

  /// Whether the request was a CONNECT, and the connection goes on as one with the origin that it named.
  public var opensInterception: Bool {
    get { extras?.rare.opensInterception ?? false }
    set { rare.opensInterception = newValue }
  }

  /// What takes the client's bytes once the response's head is a 101; `content` then streams those of the other side.
  package var upgrade: (any TunnelSource)? {
    get { extras?.rare.upgrade }
    set { rare.upgrade = newValue }
  }

  /// What takes the body of an upload while it comes.
  package var upload: (any UploadSink)? {
    get { extras?.rare.upload }
    set { rare.upload = newValue }
  }

  package var hasExtras: Bool { extras != nil }
}
