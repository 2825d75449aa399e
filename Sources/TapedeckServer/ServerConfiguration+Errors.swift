internal import TapedeckHTTP

/// The server's own responses: problem documents (RFC 9457) that repeat nothing of the request and name the
/// limit that was exceeded, with its option when `namesOptions` is set.
extension ServerConfiguration {
  static let notFound = HTTPResponse.problem(404, "nothing here responds to this request")
  static let tooMuchHeld = HTTPResponse.problem(
    503, "there are too many request bodies in memory; try again in a moment",
    cause: "connection_limit_reached")

  static func internalError(_ detail: String) -> HTTPResponse {
    .problem(500, detail, cause: "proxy_internal_error")
  }

  var tooManyConnections: HTTPResponse {
    .problem(
      503,
      "there are too many connections, \(maxConnections) or as many as ulimit -n allows; "
        + "try again in a moment" + option("--max-connections N"), cause: "connection_limit_reached")
  }

  func requestTimeout(isReadingBody: Bool) -> HTTPResponse {
    let (part, time, name) =
      isReadingBody
      ? ("body", bodyTimeoutMilliseconds, "--body-timeout SECONDS")
      : ("header section", headTimeoutMilliseconds, "--head-timeout SECONDS")
    let wait = isReadingBody ? "stood still, or came too slowly, for" : "did not arrive within"
    return .problem(
      408, "the request did not arrive in time: its \(part) \(wait) \(Self.seconds(time))" + option(name))
  }

  func badMessage(_ error: HTTPParseError) -> HTTPResponse {
    let limits = limits
    let limit =
      switch error {
      case .bodyTooLarge: " of \(Self.size(limits.bodyBytes))" + option("--max-body MIB")
      case .headTooLarge: "; the limit is \(Self.size(limits.headBytes))"
      case .tooManyFields: "; the limit is \(limits.fieldCount)"
      case .targetTooLong: "; the limit is \(limits.targetBytes) bytes"
      default: ""
      }
    return .problem(error.status, error.description + limit)
  }

  private func option(_ name: String) -> String {
    namesOptions ? "; raise it with \(name)" : ""
  }

  private static func seconds(_ milliseconds: Int) -> String {
    milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
  }

  private static func size(_ bytes: Int) -> String {
    for (unit, size) in [("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes > 0 && bytes.isMultiple(of: size) {
      return "\(bytes / size) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
