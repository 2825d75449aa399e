import TapedeckHTTP

/// Where the requests of a cassette went, so that their URLs can be written.
struct HAROrigin {
  /// Scheme, authority and path prefix, without a final slash.
  private let base: String
  private let scheme: String
  private let authority: String

  init(upstream: String?) {
    base = upstream ?? ""
    let source = try? SourceURL(base)
    scheme = base.hasPrefix("https:") ? "https" : "http"
    authority = source?.authority ?? ""
  }

  /// A request that says it went to another host than the cassette's origin has that host in its URL.
  func url(of request: HTTPRequest) -> String {
    let host = request.fields.text("host") ?? ""
    let target = String(decoding: SourceURL.encoded(request.target[...]), as: UTF8.self)
    let path = target.hasPrefix("/") ? target : "/" + target
    if let other = try? SourceURL("\(scheme)://\(host)/"), other.authority != authority {
      return other.origin + path
    }
    return (base.isEmpty ? "http://localhost" : base) + path
  }
}
