internal import TapedeckHTTP
internal import TapedeckRecording

/// The refusal of a request that nothing answers: what came, what was nearest, what differed, and what to run next
/// (RFC 9457 problem document).
struct MissExplanation: Sendable {
  private static let nearestCount = 3
  private static let curlBodyBytes = 1024

  let mode: RecordMode
  let status: Int
  let upstream: String?
  let cassetteName: String?

  init(_ configuration: ProxyConfiguration) {
    mode = configuration.mode
    status = configuration.missStatus
    upstream = configuration.upstream
    cassetteName = configuration.cassette
  }

  func response(to request: HTTPRequest, cassette: Cassette?) -> HTTPResponse {
    let nearest = cassette?.nearest(to: request, limit: Self.nearestCount) ?? []
    let document: JSONValue = [
      "title": "no recording matches this request",
      "status": JSONValue(status),
      "detail": JSONValue(detail(request, nearest: nearest, cassette: cassette)),
      "request": ["method": JSONValue(request.method.rawValue), "target": JSONValue(request.targetText)],
      "nearest": .array(nearest.map(Self.describe)),
      "fix": JSONValue(fix(cassette)),
      "curl": JSONValue(Self.curl(request)),
    ]
    return HTTPResponse(
      status: status, contentType: "application/problem+json", body: document.bytes(.pretty))
  }

  private func detail(_ request: HTTPRequest, nearest: [NearMiss], cassette: Cassette?) -> String {
    let asked = "\(request.method) \(request.targetText)"
    guard let cassetteName else {
      return "\(asked): there is no cassette and no upstream to ask (mode \(mode.rawValue))"
    }
    guard let first = nearest.first else {
      return "\(asked): cassette \(cassetteName) holds no recordings (mode \(mode.rawValue))"
    }
    let differences = first.differences.map(\.description).joined(separator: "; ")
    return "\(asked) is not in cassette \(cassetteName) (mode \(mode.rawValue)); "
      + "nearest is \(first.answer.fileName): \(differences)"
  }

  private static func describe(_ miss: NearMiss) -> JSONValue {
    [
      "file": JSONValue(miss.answer.fileName),
      "request": JSONValue(
        "\(miss.answer.interaction.request.method) \(miss.answer.interaction.request.targetText)"),
      "differences": .array(miss.differences.map { JSONValue($0.description) }),
    ]
  }

  private func fix(_ cassette: Cassette?) -> String {
    let upstream = upstream ?? cassette?.upstream ?? "URL"
    return "tapedeck serve --mode new_episodes --upstream \(upstream) --cassette \(cassetteName ?? "NAME")"
  }

  /// The request as a command, without header values that may be secret.
  private static func curl(_ request: HTTPRequest) -> String {
    var words = ["curl"]
    if request.method == .head {
      words.append("--head")
    } else if request.method != .get || !request.body.isEmpty {
      words += ["-X", quoted(request.method.rawValue)]
    }
    if let type = request.fields.text("content-type") { words += ["-H", quoted("Content-Type: \(type)")] }
    if !request.body.isEmpty {
      let isShown = request.body.count <= curlBodyBytes && request.body.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
      words += ["--data-binary", isShown ? quoted(String(decoding: request.body, as: UTF8.self)) : "@BODY"]
    }
    let authority = String(decoding: request.authority, as: UTF8.self)
    words.append(quoted("http://\(authority)\(request.targetText)"))
    return words.joined(separator: " ")
  }

  /// In single quotes, as a POSIX shell reads them.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
