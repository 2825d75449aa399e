internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// Where `verify` sends the recorded requests. Whoever wrote the cassette chose the origins that it names; credentials
/// go only where the command line says.
struct VerifiedOrigins {
  /// The origin that the command line names; `nil` if it names none.
  let named: String?
  /// The origins that requests are sent to, sorted.
  let all: [String]
  /// Whether each request goes to the origin it was recorded from, though `named` may be one of them.
  private let areOwn: Bool

  init(_ cassette: Cassette, upstream: String?) throws(UsageError) {
    let origin = upstream.flatMap { HTTPOrigin($0) }.map { "\($0)" }
    areOwn = cassette.hasSeveralOrigins && (upstream == nil || origin.map(cassette.origins.contains) == true)
    named = areOwn ? origin : upstream
    guard let only = upstream ?? cassette.upstream else {
      guard areOwn else {
        throw UsageError("\(CassettePath.shown(cassette.path)) does not name its origin; give --upstream URL")
      }
      all = cassette.origins
      return
    }
    all = areOwn ? cassette.origins : [only]
  }

  func origin(of interaction: Interaction) -> String {
    areOwn ? interaction.origin.map { "\($0)" } ?? all[0] : all[0]
  }

  func isNamed(_ interaction: Interaction) -> Bool { origin(of: interaction) == named }

  /// The origins that only the cassette names.
  var unnamed: [String] { all.filter { $0 != named } }

  /// The requests that are sent to one origin together: all of an origin, or those that follow each other if their order
  /// matters.
  func groups(_ requests: [(index: Int, interaction: Interaction)], inOrder: Bool) -> [(
    origin: String, indices: [Int]
  )] {
    var groups: [(origin: String, indices: [Int])] = []
    for (index, interaction) in requests {
      let origin = origin(of: interaction)
      let known = inOrder ? groups.indices.last : groups.indices.first { groups[$0].origin == origin }
      if let known, groups[known].origin == origin {
        groups[known].indices.append(index)
      } else {
        groups.append((origin, [index]))
      }
    }
    return groups
  }

  /// The configuration for one origin: without the certificate that is for another, and the addresses of others.
  func configuration(for origin: String, _ common: ProxyConfiguration) -> ProxyConfiguration {
    var configuration = common
    configuration.upstream = origin
    guard areOwn, all.count > 1 else { return configuration }
    if origin != named { (configuration.clientCertificate, configuration.clientKey) = (nil, nil) }
    let start = HTTPOrigin(origin).map { "\($0.host):\($0.port):" } ?? ""
    configuration.resolve = common.resolve.filter { $0.lowercased().hasPrefix(start) }
    return configuration
  }
}
