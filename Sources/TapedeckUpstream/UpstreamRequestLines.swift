internal import TapedeckHTTP

/// A request as the origin gets it: the target, and one line a header, as libcurl takes them.
///
/// Transparent on purpose: every end-to-end field of the client goes on in its order and spelling, and nothing is added
/// that framing does not demand. No `X-Forwarded-*`, and no `Via`, though RFC 9110 §7.6.3 wants one of a gateway: the
/// origin shall answer as it would have answered the client, for that answer is what gets recorded.
struct UpstreamRequestLines {
  /// NUL-terminated.
  private(set) var target: [UInt8] = []
  /// Header lines in libcurl's syntax, one after the other, each NUL-terminated.
  private(set) var headers: [UInt8] = []
  /// Where in `headers` each line starts.
  private(set) var starts: [Int] = []

  init(_ request: HTTPRequest, _ configuration: UpstreamConfiguration) {
    // RFC 9112 §3.2.4: the asterisk stands for the server as a whole, and has no path to put a prefix before.
    if request.target != [UInt8(ascii: "*")] { target += configuration.origin.pathPrefix.utf8 }
    target += request.target
    target.append(0)
    headers.reserveCapacity(512)
    let fields = Self.fields(of: request, configuration)
    for field in fields { append(field.name, field.value) }
    suppressDefaults(fields)
  }

  /// The fields that the origin gets, in order.
  static func fields(of request: HTTPRequest, _ configuration: UpstreamConfiguration) -> HTTPFields {
    var kept = request.fields
    kept.removeHopByHop()
    // RFC 9110 §11.7.1: a challenge of a proxy is for answers; in a request it means nothing to the origin.
    kept.removeAll("proxy-authenticate")
    var fields = HTTPFields()
    fields.append(literal: "Host", host(request, configuration))
    var hasEncoding = false
    for field in kept {
      // RFC 9110 §10.1.1: the expectation was met by us, who have the whole body already.
      if field.isNamed("host") || field.isNamed("expect") { continue }
      if field.isNamed("content-length") {
        if !fields.contains("content-length") { fields.append(field, value: "\(request.body.count)") }
      } else if field.isNamed("accept-encoding"), !configuration.passesEncodings {
        if !hasEncoding { fields.append(field, value: "identity") }
        hasEncoding = true
      } else {
        fields.append(field)
      }
    }
    // RFC 9112 §6.2: a body that came in chunks goes on with its length, which is known by now.
    if !fields.contains("content-length"),
      !request.body.isEmpty || request.fields.contains("transfer-encoding")
    {
      fields.append(literal: "Content-Length", "\(request.body.count)")
    }
    return fields
  }

  /// RFC 9110 §7.2, §7.6.1: a gateway names the origin it asks.
  private static func host(_ request: HTTPRequest, _ configuration: UpstreamConfiguration) -> String {
    if configuration.preservesHost {
      if !request.authority.isEmpty { return String(decoding: request.authority, as: UTF8.self) }
      if let host = request.fields.text("host") { return host }
    }
    return configuration.origin.authority
  }

  /// libcurl adds these by itself unless they are listed; `Name:` lists one as absent.
  private mutating func suppressDefaults(_ fields: HTTPFields) {
    if !fields.contains("accept") { appendLine("Accept:".utf8) }
    if !fields.contains("user-agent") { appendLine("User-Agent:".utf8) }
    if !fields.contains("content-type") { appendLine("Content-Type:".utf8) }
    appendLine("Expect:".utf8)
  }

  private mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    starts.append(headers.count)
    headers += name
    if value.isEmpty {
      // In libcurl's syntax a field without value ends in a semicolon.
      headers.append(UInt8(ascii: ";"))
    } else {
      headers.append(UInt8(ascii: ":"))
      headers.append(UInt8(ascii: " "))
      headers += value
    }
    headers.append(0)
  }

  private mutating func appendLine(_ line: some Sequence<UInt8>) {
    starts.append(headers.count)
    headers += line
    headers.append(0)
  }

  /// Whether method and target can stand in a request line without ending it (RFC 9112 §3): both may have
  /// been made by code rather than parsed.
  static func canBeSent(_ request: HTTPRequest) -> Bool {
    let isPlain = { (byte: UInt8) in byte > 0x20 && byte < 0x7F }
    return !request.target.isEmpty && request.target.allSatisfy(isPlain)
      && !request.method.rawValue.isEmpty && request.method.rawValue.utf8.allSatisfy(isPlain)
  }
}
