import TapedeckHTTP
package import TapedeckRecording

/// Why nothing of a cassette can be promoted.
package enum PromotionError: Error, CustomStringConvertible {
  /// It is of several origins, whose paths mean different things, and none is chosen.
  case severalOrigins(path: String, origins: [String])
  /// No origin, or several, have the host that is chosen.
  case noOrigin(path: String, problem: String, origins: [String])

  package var description: String {
    switch self {
    case .severalOrigins(let path, let origins):
      "\(path): choose an origin with --only HOST; it is of \(origins.joined(separator: ", "))"
    case .noOrigin(let path, let problem, let origins):
      "\(path): \(problem); it is of \(origins.joined(separator: ", "))"
    }
  }
}

/// The interactions of one origin of a cassette, to be promoted.
package struct PromotedOrigin: Sendable {
  private let interactions: [StoredInteraction]
  private let host: String?
  /// What is to be changed by hand in the resources, in a sentence; `nil` if nothing is.
  package private(set) var advice: String?

  package var promotion: Promotion { Promotion(interactions, host: host) }

  /// - Parameter chosen: the origin or its host; needed where there are several.
  package init(of cassette: Cassette, only chosen: String?) throws(PromotionError) {
    interactions = try Self.interactions(of: cassette, only: chosen)
    guard let origin = interactions.first?.interaction.origin else {
      host = nil
      return
    }
    // Several origins behind a forward proxy are asked for by their hosts.
    guard let upstreams = cassette.upstreams, !upstreams.isForward else {
      host = origin.authority
      return
    }
    host = nil
    advice =
      "the paths are those of \(origin); clients reach it by \(upstreams.text), so put their prefix before `path`, "
      + "or their host into `when.host`, where there is one"
  }

  private static func interactions(
    of cassette: Cassette, only host: String?
  ) throws(PromotionError) -> [StoredInteraction] {
    guard cassette.origins.count > 1 || host != nil else { return cassette.interactions }
    guard let host else { throw .severalOrigins(path: cassette.path, origins: cassette.origins) }
    let origins = cassette.origins.filter { origin in
      HTTPOrigin(origin).map { [origin, $0.authority, $0.host].contains(host.lowercased()) } ?? false
    }
    guard origins.count == 1 else {
      let problem = origins.isEmpty ? "no exchange is with \(host)" : "\(host) stands for several origins"
      throw .noOrigin(path: cassette.path, problem: problem, origins: cassette.origins)
    }
    guard cassette.hasSeveralOrigins else { return cassette.interactions }
    return cassette.interactions.filter { $0.interaction.origin.map { "\($0)" } == origins[0] }
  }
}
