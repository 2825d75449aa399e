extension HTTPRequest {
  /// Whether the client said that it reads trailers (RFC 9110 §10.1.4).
  public var acceptsTrailers: Bool {
    fields.values(of: "te").contains { value in
      value.split(separator: ASCII.comma).contains { ASCII.equal($0.trimmingBlanks(), lowercase: "trailers") }
    }
  }
}

extension HTTPFields {
  /// Removes the fields that belong to one connection only (RFC 9110 §7.6.1): those listed there, and those that
  /// `Connection` nominates. Framing and `Host` never go by nomination.
  public mutating func removeHopByHop() {
    let nominated = values(of: "connection").flatMap { $0.split(separator: ASCII.comma) }
      .map { $0.trimmingBlanks().map(ASCII.lowercased) }
    removeAll { field in
      if Self.hopByHop.contains(where: { field.isNamed($0) }) { return true }
      guard !nominated.isEmpty else { return false }
      let name = field.name.map(ASCII.lowercased)
      return nominated.contains(name) && !field.isNamed("host") && !field.isNamed("content-length")
    }
  }

  private static let hopByHop: [StaticString] = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade",
    "proxy-authorization",
  ]
}
