internal import TapedeckHTTP

/// The base of a router: `http://api.test.com/v1`, `test.com`, `localhost:8080`, `/api`, or everything.
///
/// With a scheme, scheme and host must be equal; without, any scheme and any subdomain will do. A port is compared where
/// one is given (80 and 443 are those of `http` and `https`). The path is compared segment by segment and has no
/// parameters.
struct BaseURL: Sendable {
  private let parts: URLText
  let segments: [[UInt8]]

  init(_ text: String) {
    parts = URLText(text, mayLackScheme: true)
    segments = PathSegments(Array(parts.target.utf8).prefix { $0 != UInt8(ascii: "?") }).keys.map {
      Array($0)
    }
  }

  /// Whether a URL's scheme, host and port are below this base.
  func covers(_ url: URLText) -> Bool {
    if let scheme = parts.scheme, scheme != url.scheme { return false }
    if let host = parts.host, host != url.host {
      guard parts.scheme == nil, url.host?.hasSuffix("." + host) == true else { return false }
    }
    return parts.port == nil || parts.port == url.effectivePort
  }

  /// Whether the path begins with ours.
  func beginsPath(_ path: PathSegments, foldsCase: Bool) -> Bool {
    guard path.keys.count >= segments.count else { return false }
    return zip(path.keys, segments).allSatisfy { key, own in
      key.elementsEqual(foldsCase ? PathSegments.folded(own) : own)
    }
  }
}
