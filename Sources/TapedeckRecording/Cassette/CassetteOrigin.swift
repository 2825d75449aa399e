/// Where the interactions of a cassette come from, and what of it comes to name the proxy.
public struct CassetteOrigin: Sendable {
  /// As a URL; nil where the cassette does not say.
  public let upstream: String?
  public let rewriting: RewriteRules

  package init(_ upstream: String?, _ rewriting: RewriteRules?) {
    self.upstream = upstream
    self.rewriting = rewriting ?? RewriteRules()
  }
}
