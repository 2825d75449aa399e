/// The headings of a verb's help, in its order.
enum OptionHeading: String, CaseIterable {
  case cassette = "Cassette"
  case origin = "Origin"
  case matching = "Matching"
  case secrets = "Secrets"
  case listening = "Listening"
  case steering = "Steering"
  case limits = "Limits"
  case output = "Output"
  case other = "Other"
  case general = "General"

  fileprivate var options: [Option] {
    switch self {
    case .cassette:
      [
        .cassette, .follow, .offline, .cacheSize, .mode, .onExhausted, .pace, .onCut, .overrides, .durability,
        .environment, .into, .prefer,
      ]
    case .origin:
      [
        .upstreams, .forward, .allowHosts, .ignoreHosts, .proxyAuth, .proxyLocalhost, .caCertificate,
        .insecure,
        .clientCertificate, .clientKey, .upstreamHeader, .header, .preserveHost, .passEncodings,
        .upstreamProxy,
        .resolve, .rewriteFields, .rewriteBodies, .noRewriteBodies, .noRewrite, .rewrite, .unsafeMethods,
      ] + Option.isolation
    case .matching: [.match, .strict, .failOn, .missStatus]
    case .secrets: [.redact, .keep, .noRedact]
    case .listening: [.listen, .port, .tls, .tlsCertificate, .tlsKey, .readyFile]
    case .steering: Option.steering
    case .limits:
      [
        .threads, .maxBody, .maxConnections, .headTimeout, .bodyTimeout, .idleTimeout, .writeTimeout,
        .connectTimeout, .firstByteTimeout, .readTimeout, .maxUpstreamConnections, .maxRecordBody, .timeout,
        .jobs,
      ]
    case .output: [.report, .reportJUnit, .reportGitHub, .explain, .quiet, .verbose, .logFormat, .json]
    case .general: Option.general
    case .other: []
    }
  }

  private static let byName = Dictionary(
    allCases.flatMap { heading in heading.options.map { ($0.name, heading) } },
    uniquingKeysWith: { first, _ in first })

  init(_ option: Option) { self = Self.byName[option.name] ?? .other }
}

extension Option {
  private static let commonNames = Set(
    [
      Option.cassette, .mode, .isolate, .overrides, .environment, .upstreams, .forward, .match, .strict,
      .redact,
      .listen,
      .port, .tls, .readyFile, .adminPort, .ui, .report, .reportJUnit, .reportGitHub, .quiet, .verbose,
      .header,
      .unsafeMethods,
    ].map(\.name))

  /// Whether the help of a verb of many options shows it without `--all`.
  var isCommon: Bool { Self.commonNames.contains(name) }
}
