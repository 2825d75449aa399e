internal import TapedeckHTTP

/// The responses a server gives on its own account, as RFC 9457 problem documents. Nothing of the request is repeated in
/// them. Where a limit was in the way they name it, and its option where the server is the command's.
struct ErrorResponse {
  let configuration: ServerConfiguration

  static let notFound = HTTPResponse.problem(404, "nothing here answers this request")
  static let tooMuchHeld = HTTPResponse.problem(
    503, "there are too many request bodies in memory; try again in a moment",
    cause: "connection_limit_reached")

  static func internalError(_ detail: String) -> HTTPResponse {
    .problem(500, detail, cause: "proxy_internal_error")
  }

  var tooManyConnections: HTTPResponse {
    .problem(
      503,
      "there are too many connections, \(configuration.maxConnections) or as many as ulimit -n allows; "
        + "try again in a moment" + option("--max-connections N"), cause: "connection_limit_reached")
  }

  /// - Parameter isReadingBody: whether the head had come.
  func requestTimeout(isReadingBody: Bool) -> HTTPResponse {
    let (part, time, name) =
      isReadingBody
      ? ("body", configuration.bodyTimeoutMilliseconds, "--body-timeout SECONDS")
      : ("header section", configuration.headTimeoutMilliseconds, "--head-timeout SECONDS")
    let wait = isReadingBody ? "stood still, or came too slowly, for" : "did not arrive within"
    return .problem(
      408, "the request did not arrive in time: its \(part) \(wait) \(Self.seconds(time))" + option(name))
  }

  func badMessage(_ error: HTTPParseError) -> HTTPResponse {
    let limits = configuration.limits
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
    configuration.namesOptions ? "; raise it with \(name)" : ""
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
