extension HTTPResponseHead {
  /// Whether the connection may carry another exchange after this answer (RFC 9112 §9.3). One of HTTP/1.0 may not,
  /// whatever it says.
  public var keepsAlive: Bool {
    guard version == .http11, let closes = try? ConnectionOptions(fields).closes else { return false }
    return !closes
  }
}
