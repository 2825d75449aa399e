internal import TapedeckHTTP

/// A request as the origin gets it: the target, and one line a header, as libcurl takes them.
///
/// Transparent on purpose: every end-to-end field of the client goes on in its order and spelling, and nothing is added
/// that framing does not demand. No `X-Forwarded-*`, and no `Via`, though RFC 9110 §7.6.3 wants one of a gateway: the
/// origin shall answer as it would have answered the client, for that answer is what gets recorded.
struct UpstreamRequestLines {
  private static let keptBytes = 4 * 1024

  /// NUL-terminated.
  private(set) var target: [UInt8] = []
  /// Header lines in libcurl's syntax, one after the other, each NUL-terminated.
  private(set) var headers: [UInt8] = []
  /// Where in `headers` each line starts.
  private(set) var starts: [Int] = []

  init(_ request: HTTPRequest, _ configuration: UpstreamConfiguration) {
    fill(request, fields: Self.fields(of: request, configuration), configuration)
  }

  init() {}

  /// Puts the lines of another request in the place of those that are there, in the same memory.
  /// - Parameter fields: what `fields(of:_:)` says.
  mutating func fill(_ request: HTTPRequest, fields: HTTPFields, _ configuration: UpstreamConfiguration) {
    target.removeAll(keepingCapacity: true)
    headers.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    // RFC 9112 §3.2.4: the asterisk stands for the server as a whole, and has no path to put a prefix before.
    if !configuration.origin.pathPrefix.isEmpty, request.target != [UInt8(ascii: "*")] {
      target += configuration.origin.pathPrefix.utf8
    }
    target += request.target
    target.append(0)
    for index in fields.indices {
      fields.withBytes(at: index) { name, value in append(name, value) }
    }
    suppressDefaults(request, fields)
  }

  /// Gives memory back, if there is much.
  mutating func trim() {
    if target.capacity + headers.capacity > Self.keptBytes { self = UpstreamRequestLines() }
  }

  /// The fields that the origin gets, in order.
  static func fields(of request: HTTPRequest, _ configuration: UpstreamConfiguration) -> HTTPFields {
    var kept = request.fields
    kept.removeHopByHop()
    // RFC 9110 §11.7.1: a challenge of a proxy is for answers; in a request it means nothing to the origin.
    kept.removeAll("proxy-authenticate")
    var fields = HTTPFields()
    fields.reserveCapacity(like: kept)
    fields.append(literal: "Host", host(request, configuration))
    var hasLength = false
    var hasEncoding = false
    for index in kept.indices {
      // RFC 9110 §10.1.1: the expectation was met by us, who have the whole body already.
      if kept.isNamed("host", at: index) || kept.isNamed("expect", at: index) { continue }
      if kept.isNamed("content-length", at: index) {
        if !hasLength { fields.append(kept[index], value: "\(request.body.count)") }
        hasLength = true
      } else if !configuration.passesEncodings, kept.isNamed("accept-encoding", at: index) {
        if !hasEncoding { fields.append(kept[index], value: "identity") }
        hasEncoding = true
      } else {
        fields.append(index, of: kept)
      }
    }
    // RFC 9112 §6.2: a body that came in chunks goes on with its length, which is known by now.
    if !hasLength, !request.body.isEmpty || request.fields.contains("transfer-encoding") {
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

  /// libcurl adds these by itself unless they are listed; `Name:` lists one as absent. It looks the list through for
  /// every field it knows of, so nothing is listed that it would not add: `User-Agent` has no default, and the other
  /// two come with a body only.
  private mutating func suppressDefaults(_ request: HTTPRequest, _ fields: HTTPFields) {
    if !fields.contains("accept") { append("Accept:") }
    guard !request.body.isEmpty else { return }
    if !fields.contains("content-type") { append("Content-Type:") }
    append("Expect:")
  }

  private mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    starts.append(headers.count)
    headers.append(contentsOf: name)
    if value.isEmpty {
      // In libcurl's syntax a field without value ends in a semicolon.
      headers.append(UInt8(ascii: ";"))
    } else {
      headers.append(UInt8(ascii: ":"))
      headers.append(UInt8(ascii: " "))
      headers.append(contentsOf: value)
    }
    headers.append(0)
  }

  private mutating func append(_ line: StaticString) {
    starts.append(headers.count)
    line.withUTF8Buffer { headers.append(contentsOf: $0) }
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
