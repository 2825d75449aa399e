import TapedeckFormats
import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// Findings about one interaction.
struct InteractionLint {
  private static let largeBodyBytes = 1 << 20

  let name: String
  let interaction: Interaction
  /// The file as written, since reading may correct it.
  let tree: JSONValue?
  let upstream: String?
  let now: Int

  var findings: [LintFinding] {
    [failure, length, largeBody, localAddress].compactMap { $0 } + expiredCookies
  }

  private var response: RecordedResponse { interaction.response }

  private func info(_ rule: LintFinding.Rule, _ text: String) -> LintFinding {
    LintFinding(.info, rule, name, text)
  }

  /// A temporary failure or a rate limit is rarely what a test should replay.
  private var failure: LintFinding? {
    let status = response.head.status
    guard status >= 500 || status == 429 else { return nil }
    return LintFinding(
      .warning, .failureRecorded, name,
      "the recorded response is \(status) \(HTTPStatus.reason(status)): record it again unless intended")
  }

  private var length: LintFinding? {
    let pair = (tree?["response"]?["headers"]?.array ?? []).first { pair in
      pair[0]?.text.map { ASCII.equal($0.utf8, lowercase: "content-length") } == true
    }
    guard response.isFramedByLength(to: interaction.request.method), let written = pair?[1]?.text,
      written != "\(response.body.count)"
    else { return nil }
    return info(
      .contentLength,
      "Content-Length is \(written), the body has \(response.body.count) bytes; replay corrects it")
  }

  private var largeBody: LintFinding? {
    let size = max(response.body.count, interaction.largeRequestBody?.size ?? interaction.request.body.count)
    guard size > Self.largeBodyBytes else { return nil }
    return info(.largeBody, "a body of \(size >> 20) MiB, which git keeps for ever once committed")
  }

  // MARK: Addresses

  private static let localHosts = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]

  /// Finds responses of a remote origin that send clients to this machine.
  private var localAddress: LintFinding? {
    let origin = upstream ?? interaction.request.fields.text("host") ?? ""
    guard !Self.localHosts.contains(where: origin.contains) else { return nil }
    var places = response.head.fields.map { field in
      ("header \(String(decoding: field.name, as: UTF8.self))", field.value)
    }
    if case .bytes(let bytes) = response.body { places.append(("the body", bytes[...])) }
    for (place, text) in places {
      guard let host = Self.localHost(in: text) else { continue }
      return info(
        .localAddress, "\(place) leads to \(host): did the origin really send that, or something in between?"
      )
    }
    return nil
  }

  /// The local host in a URL, which ends at a port, a path, or any character not allowed in a name.
  private static func localHost(in text: ArraySlice<UInt8>) -> String? {
    var rest = text
    while let colon = ByteSearch.first(Array("://".utf8), in: rest) {
      rest = rest[(colon + 3)...]
      let host = localHosts.first { host in
        guard rest.starts(with: host.utf8) else { return false }
        let next = rest.dropFirst(host.utf8.count).first
        return next.map { !ASCII.isAlphanumeric($0) && !"-.".utf8.contains($0) } ?? true
      }
      if let host { return host }
    }
    return nil
  }

  // MARK: Cookies

  /// Cookies that have expired since they were recorded: a client drops them and sends its requests without them.
  private var expiredCookies: [LintFinding] {
    guard let recorded = interaction.volatile.recordedAtMilliseconds else { return [] }
    return response.head.fields.values(of: "set-cookie").compactMap { value in
      let text = String(decoding: value, as: UTF8.self)
      guard let expiry = Self.cookieExpiry(text), expiry > recorded, expiry < now else { return nil }
      return info(
        .expiredCookie,
        "the cookie \(text.prefix { $0 != "=" }) has expired since, so clients no longer send it")
    }
  }

  /// The time at which a cookie expires by its `Expires` (RFC 6265 §5.1.1, in the forms that servers write), in milliseconds since 1970
  /// UTC; `nil` without one, and with `Max-Age`, which counts from the response.
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
    guard words.count >= 5, let year = Int(words[3]) else { return nil }
    let whole = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
    let month = words[2].prefix(1).uppercased() + words[2].dropFirst().prefix(2).lowercased()
    return ImportedTime.http("\(words[0]), \(words[1]) \(month) \(whole) \(words[4]) GMT")
  }
}
