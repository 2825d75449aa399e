internal import TapedeckHTTP
internal import TapedeckUpstream

/// Host and port as an absolute-form target names them, for comparing. Ports 80 and 443 are those that go without saying,
/// whatever the scheme: a client of an https origin speaks plain http to this proxy.
struct AuthorityName: Equatable, CustomStringConvertible {
  /// In lower case, an IPv6 address in brackets.
  let host: String
  /// `nil` for a default port.
  let port: UInt16?

  init(host: String, port: UInt16?) {
    self.host = host
    self.port = port == 80 || port == 443 ? nil : port
  }

  /// - Parameter authority: a valid one.
  init(_ authority: [UInt8]) {
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    let hostEnd =
      text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
    let host = hostEnd.map { text[..<$0] } ?? text[...]
    self.init(host: String(host), port: UInt16(text[host.endIndex...].dropFirst()))
  }

  init(_ origin: UpstreamOrigin) {
    let isAddress = origin.host.utf8.contains(UInt8(ascii: ":"))
    self.init(host: isAddress ? "[\(origin.host)]" : origin.host, port: origin.port)
  }

  var description: String { port.map { "\(host):\($0)" } ?? host }
}
