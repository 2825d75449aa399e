extension Option {
  /// Options of which only one can be given.
  private static let exclusions: [[Option]] = [
    [.listen, .port], [.adminListen, .adminPort], [.adminURL, .runningAdminPort],
    [.tls, .tlsCertificate], [.tls, .tlsKey],
    [.noRewrite, .rewrite],
    [.noRewrite, .rewriteBodies], [.noRewrite, .rewriteFields], [.noRewriteBodies, .rewriteBodies],
    [.noRedact, .redact], [.noRedact, .keep], [.sessionHeader, .sessionPath, .sessionUser],
    [.curl, .json, .body], [.quiet, .verbose, .logFormat],
  ]

  /// The names of the options that exclude one.
  static func excluding(_ option: Option) -> Set<String> {
    let names = exclusions.map { $0.map(\.name) }.filter { $0.contains(option.name) }
    return Set(names.joined()).subtracting([option.name])
  }
}
