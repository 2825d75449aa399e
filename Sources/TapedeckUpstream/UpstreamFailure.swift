internal import TapedeckHTTP

/// Why an exchange with the origin failed, in the terms of RFC 9209 §2.3.
struct UpstreamFailure: Error, Equatable {
  enum Cause: String, CaseIterable {
    case dnsTimeout = "dns_timeout"
    case dnsError = "dns_error"
    case unroutable = "destination_ip_unroutable"
    case prohibited = "destination_ip_prohibited"
    case refused = "connection_refused"
    case terminated = "connection_terminated"
    case connectTimeout = "connection_timeout"
    case readTimeout = "connection_read_timeout"
    case writeTimeout = "connection_write_timeout"
    case limitReached = "connection_limit_reached"
    case tlsProtocol = "tls_protocol_error"
    case tlsCertificate = "tls_certificate_error"
    case tlsAlert = "tls_alert_received"
    case badRequest = "http_request_error"
    case incomplete = "http_response_incomplete"
    case headTooLarge = "http_response_header_section_size"
    case firstByteTimeout = "http_response_timeout"
    case protocolError = "http_protocol_error"
    case unavailable = "destination_unavailable"
    case internalError = "proxy_internal_error"
  }

  let cause: Cause
  /// For people. Contains no header, target or body of the exchange.
  let detail: String

  init(_ cause: Cause, _ detail: String) {
    self.cause = cause
    self.detail = detail
  }

  func refusing(_ origin: UpstreamOrigin) -> UpstreamFailure {
    UpstreamFailure(cause, "The response of \(origin) was refused: \(detail).")
  }

  static func limit(_ milliseconds: Int, _ option: String) -> String {
    let time = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    return "\(time) (\(option))"
  }

  /// Problem details (RFC 9457) with a `Proxy-Status` (RFC 9209).
  var response: HTTPResponse {
    var response = HTTPResponse.problem(cause.status, detail, title: cause.title, cause: cause.rawValue)
    response.head.fields.append(
      literal: "Proxy-Status",
      "tapedeck; error=\(cause.rawValue); details=\(HTTPFields.structuredString(detail.utf8))")
    return response
  }
}

extension UpstreamFailure.Cause {
  var status: Int {
    switch self {
    case .badRequest: 400
    case .prohibited: 403
    case .limitReached, .unavailable: 503
    case .dnsTimeout, .connectTimeout, .readTimeout, .writeTimeout, .firstByteTimeout: 504
    default: 502
    }
  }

  var title: String {
    switch self {
    case .dnsTimeout: "The origin's name could not be looked up in time"
    case .dnsError: "The origin's name could not be resolved"
    case .unroutable: "There is no route to the origin"
    case .prohibited: "The origin's address is not served"
    case .refused: "The origin refused the connection"
    case .terminated: "The origin broke the connection"
    case .connectTimeout: "The origin did not accept the connection in time"
    case .readTimeout: "The origin stopped in the middle of its response"
    case .writeTimeout: "The origin stopped reading the request"
    case .limitReached: "All connections to the origin are in use"
    case .tlsProtocol: "The origin does not speak TLS as expected"
    case .tlsCertificate: "The origin's certificate was not accepted"
    case .tlsAlert: "The origin ended the TLS handshake"
    case .badRequest: "The request cannot be passed on"
    case .incomplete: "The origin's response was incomplete"
    case .headTooLarge: "The origin's header section is too large"
    case .firstByteTimeout: "The origin did not respond in time"
    case .protocolError: "The origin's response is not valid HTTP/1.1"
    case .unavailable: "No further request is sent to the origin"
    case .internalError: "The request could not be sent to the origin"
    }
  }
}
