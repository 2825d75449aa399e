import TapedeckFormats
internal import TapedeckProxy
internal import TapedeckRecording

/// What a person is told at the start: what becomes of requests, the cassette with its size, the origins, and the mode.
struct StartText {
  /// To measure more files would delay the start.
  private static let maximumMeasured = 20_000

  private let configuration: ProxyConfiguration
  /// The cassette as the user knows it.
  private let name: String?
  /// Whether there was no cassette when this was made.
  private let isNew: Bool
  /// The name of a similar cassette, where this one is new.
  private let hint: String

  /// Make it before the proxy starts, which makes the cassette.
  init(_ configuration: ProxyConfiguration, cassette name: String?) {
    (self.configuration, self.name) = (configuration, name)
    let absent = configuration.cassette.flatMap { path -> CassetteError? in
      (try? CassetteDirectory(opening: path)) == nil ? .absent(directory: path) : nil
    }
    isNew = absent != nil
    hint = absent.map { CassettePath.hint(for: $0) } ?? ""
  }

  func lines(of proxy: ProxyServer) -> [String] {
    let count = proxy.interactionCounts.replayable
    let summary =
      count <= Self.maximumMeasured
      ? configuration.cassette.flatMap { CassetteSummary.summary(of: $0, at: $0) } : nil
    let size = summary.map { count > 0 ? ", \(HumanText.size($0.bytes))" : "" } ?? ""
    let content = HumanText.count(count, "interaction") + size
    return ["\(intent(of: proxy, content)) (mode \(proxy.mode.rawValue))", origins(summary)].compactMap(
      \.self)
  }

  private func intent(of proxy: ProxyServer, _ content: String) -> String {
    guard let path = name ?? configuration.cassette else { return "nothing is recorded without --cassette" }
    switch proxy.mode {
    case .none: return "replaying \(path): \(content)"
    case .once where proxy.records, .all where isNew: return "recording into \(path), which is new\(hint)"
    case .once: return "replaying \(path): \(content); recording nothing"
    case .newEpisodes where isNew: return "recording into \(path), which is new\(hint), what is not yet in it"
    case .newEpisodes: return "replaying \(path): \(content); recording what is not in it"
    case .all: return "recording everything anew into \(path)"
    case .passthrough: return "passing everything through, without \(path)"
    }
  }

  private func origins(_ summary: CassetteSummary?) -> String? {
    if let upstream = configuration.upstream { return "origin \(upstream)" }
    let named = configuration.upstreams.isEmpty ? nil : configuration.upstreams.firstThree
    if configuration.forward != nil, configuration.mode != .none {
      return "origins \(named.map { "\($0), and " } ?? "")whatever host a client names"
    }
    if let named { return "origins \(named)" }
    return (summary?.upstream ?? summary?.origins?.firstThree).map { "recorded from \($0)" }
  }
}
