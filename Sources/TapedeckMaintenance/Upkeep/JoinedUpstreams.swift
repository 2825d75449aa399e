import TapedeckRecording

/// How clients reach the origins of several cassettes in one: the patterns of all, that of the earlier cassette where
/// two are for the same requests.
struct JoinedUpstreams {
  private(set) var upstreams: RecordedUpstreams?
  private(set) var warnings: [String] = []

  init(_ cassettes: [Cassette]) {
    var patterns: [(condition: Substring?, text: String, path: String)] = []
    for cassette in cassettes {
      for text in cassette.upstreams?.patterns ?? [cassette.upstream].compactMap({ $0 }) {
        let condition = RecordedUpstreams.condition(of: text)
        guard let known = patterns.first(where: { $0.condition == condition }) else {
          patterns.append((condition, text, cassette.path))
          continue
        }
        guard known.text != text else { continue }
        warnings.append(
          "\(cassette.path) was recorded with --upstream \(text), and \(known.path) with --upstream \(known.text), "
            + "which holds in the merged cassette; replay it with --forward or other --upstream patterns to reach both"
        )
      }
    }
    let isForward = cassettes.contains { $0.hasSeveralOrigins && $0.upstreams?.isForward != false }
    guard isForward || !patterns.isEmpty else { return }
    upstreams = RecordedUpstreams(patterns: patterns.map(\.text), isForward: isForward)
  }
}
