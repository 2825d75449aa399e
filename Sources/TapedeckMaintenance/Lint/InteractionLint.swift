import TapedeckHTTP
import TapedeckRecording

/// Findings about one interaction.
struct InteractionLint {
  /// Bodies above this size make a repository heavy.
  static let largeBodyBytes = 1 << 20

  let name: String
  let interaction: Interaction
  /// The file as it is written; reading may correct it.
  let tree: JSONValue?
  let upstream: String?
  let now: Int

  var findings: [LintFinding] {
    [failure, length, largeBody, localAddress].compactMap { $0 } + expiredCookies
  }

  private var response: RecordedResponse { interaction.response }

  /// A failure that a retry mended, or a rate limit met while recording, is rarely what a test is about.
  private var failure: LintFinding? {
    let status = response.head.status
    guard status >= 500 || status == 429 else { return nil }
    return LintFinding(
      .warning, .failureRecorded, name,
      "the recorded answer is \(status) \(HTTPStatus.reason(status)): record it again unless it is meant")
  }

  private var length: LintFinding? {
    guard response.isFramedByLength(to: interaction.request.method),
      let written = writtenLength, written != "\(response.body.count)"
    else { return nil }
    return LintFinding(
      .info, .contentLength, name,
      "Content-Length is \(written), the body has \(response.body.count) bytes; replay tells the truth")
  }

  private var writtenLength: String? {
    let pairs = tree?["response"]?["headers"]?.array ?? []
    let pair = pairs.first { pair in
      pair[0]?.text.map { Array($0.utf8).map(ASCII.lowercased) } == Array("content-length".utf8)
    }
    return pair?[1]?.text
  }

  private var largeBody: LintFinding? {
    let size = max(response.body.count, interaction.largeRequestBody?.size ?? interaction.request.body.count)
    guard size > Self.largeBodyBytes else { return nil }
    return LintFinding(
      .info, .largeBody, name, "a body of \(size >> 20) MiB, which git keeps for ever once it is committed")
  }

  // MARK: Addresses

  private static let localHosts = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]

  /// A response of a remote origin that sends clients to this machine.
  private var localAddress: LintFinding? {
    let origin = upstream ?? interaction.request.fields.text("host") ?? ""
    guard !Self.localHosts.contains(where: origin.contains) else { return nil }
    for field in response.head.fields {
      if let url = Self.localURL(in: field.value) {
        let name = String(decoding: field.name, as: UTF8.self)
        return finding(url, in: "header \(name)")
      }
    }
    guard case .bytes(let bytes) = response.body, let url = Self.localURL(in: bytes[...]) else { return nil }
    return finding(url, in: "the body")
  }

  private func finding(_ url: String, in place: String) -> LintFinding {
    LintFinding(
      .info, .localAddress, name,
      "\(place) leads to \(url): does the origin really say that, or was something between?")
  }

  private static func localURL(in bytes: ArraySlice<UInt8>) -> String? {
    var rest = bytes
    let mark = Array("://".utf8)
    while let start = rest.firstIndex(of: mark[0]) {
      rest = rest[start...]
      if rest.starts(with: mark),
        let host = localHosts.first(where: { rest.dropFirst(3).starts(with: $0.utf8) }),
        isEnd(rest.dropFirst(3 + host.utf8.count).first)
      {
        return host
      }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Whether a host ends here: at a port, a path or anything that is no part of a name.
  private static func isEnd(_ byte: UInt8?) -> Bool {
    guard let byte else { return true }
    return !ASCII.isDigit(byte) && ASCII.lowercased(byte) &- 0x61 >= 26 && byte != 0x2D && byte != 0x2E
  }

  // MARK: Cookies

  /// Cookies that have expired since they were recorded: a client drops them and sends its requests without them.
  private var expiredCookies: [LintFinding] {
    guard let recorded = interaction.volatile.recordedAtMilliseconds else { return [] }
    return response.head.fields.values(of: "set-cookie").compactMap { value in
      let text = String(decoding: value, as: UTF8.self)
      guard let expiry = Self.cookieExpiry(text), expiry > recorded, expiry < now else { return nil }
      return LintFinding(
        .info, .expiredCookie, name,
        "the cookie \(text.prefix { $0 != "=" }) has expired since, so that clients no longer send it")
    }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// When a cookie goes by its `Expires` (RFC 6265 §5.1.1, in the forms that servers write), in milliseconds since 1970
  /// UTC; nil without one, and with `Max-Age`, which counts from the response.
  static func cookieExpiry(_ cookie: String) -> Int? {
    var expires: Substring?
    for attribute in cookie.split(separator: ";").dropFirst() {
      let parts = attribute.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let name = parts[0].split(separator: " ").first?.lowercased() else { continue }
      if name == "max-age" { return nil }
      if name == "expires" { expires = parts[1] }
    }
    return expires.flatMap(date)
  }

  /// `Wed, 09 Jun 2027 10:18:14 GMT`, also with dashes or a year of two digits.
  private static func date(_ text: Substring) -> Int? {
    let words = text.split { " ,-".contains($0) }
    guard words.count >= 5, let day = Int(words[1]), let year = Int(words[3]),
      let month = months.firstIndex(of: words[2].prefix(3).lowercased())
    else { return nil }
    let whole = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
    return Timestamp.microseconds(
      "\(padded(whole, 4))-\(padded(month + 1, 2))-\(padded(day, 2))T\(words[4]).000Z"
    ).map { $0 / 1000 }
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
