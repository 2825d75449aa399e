internal import TapedeckHTTP
internal import TapedeckProxy

/// The counters of a proxy in the text format of OpenMetrics 1.0, which Prometheus scrapes.
struct Metrics {
  /// The path, and the one that Prometheus asks for unless it is told another.
  static let paths = ["/__tapedeck/metrics", "/metrics"]
  private static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  private let proxy: ProxyServer
  /// Of the command; `nil` in a program of the user's own.
  private let version: String?

  init(of proxy: ProxyServer, version: String?) {
    self.proxy = proxy
    self.version = version
  }

  var response: HTTPResponse {
    HTTPResponse(status: 200, contentType: Self.contentType, body: Array(text.utf8))
  }

  var text: String {
    let summary = proxy.summary
    return requests(summary) + latencies
      + Self.family(
        "tapedeck_upstream_connections_opened", "counter", "Connections opened to origins.",
        [("_total", summary.upstreamConnections)])
      + Self.family(
        "tapedeck_unsealed_interactions", "gauge", "Interactions recorded and not sealed yet.",
        [("", proxy.interactionCounts.recorded)])
      + Self.family("tapedeck_build", "info", "The version of the program.", [("_info{\(build)}", 1)])
      + "# EOF\n"
  }

  /// By what became of them; the names are those of the summary of a run.
  private func requests(_ summary: ProxySummary) -> String {
    let outcomes = [
      ("recorded", summary.recorded), ("replayed", summary.replayed), ("overridden", summary.overridden),
      ("forwarded", summary.forwarded), ("oversized", summary.oversized), ("tunnelled", summary.tunnels),
      ("unmatched", summary.unmatched), ("left", summary.left), ("failed", summary.failed),
    ]
    return Self.family(
      "tapedeck_requests", "counter", "Requests by outcome.",
      outcomes.map { ("_total{outcome=\"\($0.0)\"}", $0.1) })
  }

  private var latencies: String {
    let (buckets, sum) = proxy.latencies
    let name = "tapedeck_request_duration_seconds"
    var count = 0
    var lines = buckets.map { bucket in
      count += bucket.count
      let bound = bucket.boundNanoseconds.map { Self.seconds($0) } ?? "+Inf"
      return "\(name)_bucket{le=\"\(bound)\"} \(count)\n"
    }
    lines.append("\(name)_count \(count)\n\(name)_sum \(Self.seconds(sum))\n")
    return "# TYPE \(name) histogram\n# UNIT \(name) seconds\n"
      + "# HELP \(name) From the complete request to the last byte of the response.\n" + lines.joined()
  }

  /// As a decimal, exact to the nanosecond.
  private static func seconds(_ nanoseconds: Int) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(String(rest + 1_000_000_000).dropFirst())
    let last = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(whole).\(digits[...last])"
  }

  private var build: String {
    let labels = [("version", version), ("libraries", ProxyServer.libraryVersions)]
    return labels.compactMap { name, value in value.map { "\(name)=\"\($0)\"" } }.joined(separator: ",")
  }

  /// A metric family whose samples differ in what follows its name.
  private static func family(
    _ name: String, _ type: String, _ help: String, _ samples: [(suffix: String, value: Int)]
  ) -> String {
    "# TYPE \(name) \(type)\n# HELP \(name) \(help)\n"
      + samples.map { "\(name)\($0.suffix) \($0.value)\n" }.joined()
  }
}
