internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckRecording

/// Explains why nothing matches a request.
struct MissExplanation: Sendable {
  private static let nearestCount = 3
  private static let curlBodyBytes = 1024
  private static let targetBytes = 2048
  private static let detailDifferences = 4

  let configuration: ProxyConfiguration

  init(_ configuration: ProxyConfiguration) { self.configuration = configuration }

  /// - Parameters:
  ///   - request: without its secrets.
  ///   - recorded: how many responses to this request were recorded, all of which have been given.
  func miss(_ request: HTTPRequest, cassette: Cassette?, recorded: Int) -> Miss {
    let nearest = cassette?.nearest(toRedacted: request, limit: Self.nearestCount) ?? []
    let fixes = fixes(for: request, nearest: nearest.first, cassette: cassette, recorded: recorded)
    return Miss(
      method: request.method.rawValue, target: Self.shortened(request.targetText),
      detail: detail(request, nearest: nearest, recorded: recorded),
      nearest: nearest.map(Self.describe),
      fixes: fixes, curl: Self.curl(request, headers: cassette?.matcher.rules.headers ?? []),
      sort: Self.sort(
        request, nearest: nearest.first, matcher: cassette?.matcher, isIgnorable: fixes.count > 1))
  }

  /// A message over a replayed WebSocket that is not the recorded one.
  /// - Parameters:
  ///   - request: the handshake, without its secrets.
  ///   - file: of the interaction that is replayed.
  ///   - number: of the message among those of the client, from 1.
  ///   - expected: `nil` where nothing more was recorded.
  func miss(
    _ request: HTTPRequest, file: String, message number: Int, expected: [UInt8]?, received: [UInt8]
  ) -> Miss {
    let texts = [expected, received].map {
      $0.map { String(decoding: $0.prefix(Self.curlBodyBytes), as: UTF8.self) }
    }
    let difference = Miss.Difference(field: "message \(number)", recorded: texts[0], received: texts[1])
    let line = Self.line(request)
    let why = expected == nil ? "no further message of the client was recorded" : "\(difference)"
    return Miss(
      method: request.method.rawValue, target: Self.shortened(request.targetText),
      detail: "\(line): message \(number) of the client is not the recorded one: \(why)",
      nearest: [Miss.Nearest(file: file, request: line, differences: [difference])],
      fixes: fixes(for: request, nearest: nil, cassette: nil, recorded: 0),
      curl: Self.curl(request, headers: []), sort: "\(line) \(file) message \(number)")
  }

  /// One method and target, as far as they are compared, one nearest recording, one list of places that differ. Where
  /// all of those look new in every request, so does the query.
  private static func sort(
    _ request: HTTPRequest, nearest: NearMiss?, matcher: RequestMatcher?, isIgnorable: Bool
  ) -> String {
    let target = isIgnorable ? Array(request.path) : matcher?.comparedTarget(of: request) ?? request.target
    let words = [
      request.method.rawValue, String(decoding: target, as: UTF8.self), nearest?.interaction.fileName ?? "",
    ]
    return shortened((words + (nearest?.differences.map(\.field) ?? [])).joined(separator: " "))
  }

  private static func shortened(_ target: String) -> String {
    target.utf8.count <= targetBytes ? target : target.prefix(targetBytes) + "…"
  }

  private func detail(_ request: HTTPRequest, nearest: [NearMiss], recorded: Int) -> String {
    let asked = Self.line(request)
    let mode = "(mode \(configuration.mode.rawValue))"
    guard let cassette = configuration.shownCassette else {
      if configuration.verb != nil {
        let reason =
          configuration.sessionSelector == nil
          ? "there is no cassette and no upstream to ask"
          : "the proxy has no cassette, and the request names no session that has one"
        return "\(asked): \(reason) \(mode)"
      }
      // As in-process interception says it.
      return Request.refusal(asked, nearest: [configuration.router].nearestRoutes(to: Request(http: request)))
    }
    guard let first = nearest.first else {
      return "\(asked): cassette \(cassette) holds no recordings \(mode)"
    }
    if recorded > 0 {
      let times = recorded == 1 ? "once" : "\(recorded) times"
      return "\(asked) was recorded \(times) in cassette \(cassette), and asked once more \(mode)"
    }
    var differences = first.differences.prefix(Self.detailDifferences).map(\.description)
    let rest = first.differences.count - differences.count
    if rest > 0 { differences.append("and \(rest) more") }
    return "\(asked) is not in cassette \(cassette) \(mode); "
      + "nearest is \(first.interaction.fileName): \(differences.joined(separator: "; "))"
  }

  private static func describe(_ miss: NearMiss) -> Miss.Nearest {
    let request = miss.interaction.recorded.request
    return Miss.Nearest(
      file: miss.interaction.fileName, request: line(request),
      differences: miss.differences.map {
        Miss.Difference(
          field: $0.field, recorded: $0.recorded, received: $0.received, ignoredBy: $0.ignoredBy)
      })
  }

  /// Method and target, and the operation where the request names one: `POST /graphql (GetUser)`.
  private static func line(_ request: HTTPRequest) -> String {
    let operation = RequestOperation.name(of: request).map { " (\($0))" } ?? ""
    let origin = request.namesOrigin ? request.origin?.description ?? "" : ""
    return "\(request.method) \(origin)\(shortened(request.targetText))\(operation)"
  }

  /// The request as a command, with the header fields that are compared, and without others that may be secret.
  private static func curl(_ request: HTTPRequest, headers: Set<String>) -> String {
    let isShort = request.body.count <= curlBodyBytes
    let command = CurlCommand(
      request, base: "\(request.scheme.rawValue)://\(String(decoding: request.authority, as: UTF8.self))",
      bodyFile: isShort ? nil : "BODY",
      fields: { field in
        field.isNamed("content-type") || field.isNamed("accept")
          || headers.contains(String(decoding: field.name, as: UTF8.self).lowercased())
      })
    return command.text
  }
}
