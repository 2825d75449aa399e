/// The scheme of an origin (RFC 9110 §4.2).
public enum HTTPScheme: String, Sendable {
  /// Plain HTTP.
  case http
  /// HTTP over TLS.
  case https

  /// The port of a URL without one.
  public var defaultPort: UInt16 { self == .http ? 80 : 443 }
}
