internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// The admin API of a running proxy.
struct RunningAdmin {
  private let address: AdminAddress
  private let token: String

  /// - Parameter verb: that of the command, for messages.
  init(_ arguments: Arguments, verb: String) throws {
    address = try AdminAddress(arguments, verb: verb)
    if let token = arguments[.adminToken] {
      self.token = token
      return
    }
    let file =
      arguments[.adminTokenFile].map { AdminTokenFile(path: $0) }
      ?? AdminTokenFile.standard(port: address.port, environment: Terminal.environment)
    guard let token = file.read() else {
      throw Failure(
        "there is no token in \(file.path); is a proxy with --admin-port \(address.port) running here? "
          + "Its token can also be given in TAPEDECK_ADMIN_TOKEN")
    }
    self.token = token
  }

  /// Throws unless it responds with success.
  func send(_ method: HTTPMethod, _ target: String, _ body: [UInt8]? = nil) throws -> HTTPResponse {
    let response = try unchecked(method, target, body)
    guard (200...299).contains(response.head.status) else { throw Self.refusal(response) }
    return response
  }

  /// Follows an event stream until it ends, which is when the proxy does.
  /// - Parameter take: called with each event on another thread; false ends that.
  func follow(_ target: String, take: @escaping @Sendable (StreamEvent) -> Bool) throws {
    var fields = HTTPFields()
    try fields.append("Authorization", "Bearer \(token)")
    let reader = Mutex(EventStreamReader(.serverSent))
    let end = try UpstreamBatch(configuration).stream(HTTPRequest(.get, target, fields: fields)) { bytes in
      let events = reader.withLock { reader in
        bytes.withUnsafeBytes { reader.append($0) }
        var events: [StreamEvent] = []
        while let event = reader.next() { events.append(event) }
        return events
      }
      return events.allSatisfy { $0.data == nil || take($0) }
    }
    switch end {
    case .ended: return
    case .refused(let response): throw Self.refusal(response)
    case .failed(let reason): throw Failure("no response from the admin API: \(reason)")
    }
  }

  private var configuration: ProxyConfiguration {
    var configuration = ProxyConfiguration()
    configuration.upstream = address.url
    configuration.caCertificate = address.caCertificate
    return configuration
  }

  private static func refusal(_ response: HTTPResponse) -> Failure {
    let detail = (try? JSONValue(parsing: response.body))?["detail"]?.text
    return Failure(detail ?? "the admin API responded with \(response.head.status)")
  }

  private func unchecked(_ method: HTTPMethod, _ target: String, _ body: [UInt8]?) throws -> HTTPResponse {
    var fields = HTTPFields()
    try fields.append("Authorization", "Bearer \(token)")
    if body != nil { fields.append(literal: "Content-Type", "application/json") }
    let request = HTTPRequest(method, target, fields: fields, body: body ?? [])
    switch try UpstreamBatch(configuration).results(for: [request]).first??.outcome {
    case .response(let response)?:
      guard case .bytes(let body) = response.body else { throw Failure("the response is too large") }
      return HTTPResponse(head: response.head, body: body)
    case .failed(let reason)?: throw Failure("no response from the admin API: \(reason)")
    case nil: throw Failure("no request was sent")
    }
  }
}
