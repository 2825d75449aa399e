import TapedeckHTTP

/// A URL as other tools write it, or only its path and query, cut into what a cassette keeps apart.
struct SourceURL: Equatable {
  /// `scheme://host[:port]`, in lower case, without the scheme's own port; empty for a path.
  var origin: String
  /// `host[:port]`, as in `Host`.
  var authority: String
  /// Path and query, percent-encoded where the tool had decoded them; without a fragment, which no server sees.
  var target: [UInt8]
  /// Whether a user or a password stood in it. They are left out: what was sent of them is in `Authorization`.
  var hadUserInformation: Bool

  init(_ text: String) throws(EntryRefusal) {
    let bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "/") {
      (origin, authority, hadUserInformation) = ("", "", false)
      target = Self.encoded(bytes.prefix { $0 != UInt8(ascii: "#") })
      return
    }
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    let scheme = String(decoding: bytes[..<colon].map(ASCII.lowercased), as: UTF8.self)
    guard scheme == "http" || scheme == "https", bytes[colon...].starts(with: "://".utf8) else {
      throw EntryRefusal("\(Self.beginning(bytes)) is no http or https URL")
    }
    let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "#") }
    let end = rest.firstIndex { "/?\\".utf8.contains($0) } ?? rest.endIndex
    var host = rest[..<end]
    let at = host.lastIndex(of: UInt8(ascii: "@"))
    hadUserInformation = at != nil
    if let at { host = host[(at + 1)...] }
    authority = try Self.authority(host, defaultPort: scheme == "https" ? ":443" : ":80")
    origin = "\(scheme)://\(authority)"
    let slash = rest[end...].first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    target = slash + Self.encoded(rest[end...])
  }

  /// The beginning of a URL, for a refusal: the rest can be a megabyte of data or hold a secret.
  private static func beginning(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.prefix { $0 != UInt8(ascii: ":") && $0 > 0x20 && $0 < 0x7F }.prefix(24)
    let text = String(decoding: start, as: UTF8.self)
    return bytes.count > start.count ? "\(text):…" : text.isEmpty ? "an empty text" : text
  }

  private static func authority(
    _ host: ArraySlice<UInt8>, defaultPort: String
  ) throws(EntryRefusal) -> String {
    var name = host.map(ASCII.lowercased)[...]
    if name.last == UInt8(ascii: ":") { name.removeLast() }
    if name.count > defaultPort.utf8.count,
      name.suffix(defaultPort.utf8.count).elementsEqual(defaultPort.utf8)
    {
      name.removeLast(defaultPort.utf8.count)
    }
    let isPlain = name.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>^`{|}%,".utf8.contains($0) }
    guard isPlain, !name.isEmpty else { throw EntryRefusal("the host in its URL is malformed") }
    return String(decoding: name, as: UTF8.self)
  }

  /// Percent-encodes the bytes that may not stand in a target. Clients encode what is not ASCII, whatever the tool that
  /// wrote the URL shows.
  static func encoded(_ target: ArraySlice<UInt8>) -> [UInt8] {
    target.flatMap { byte in
      RequestTarget.isAllowed(byte) && byte < 0x80 ? [byte] : PercentCoding.encoded(byte)
    }
  }
}
