internal import TapedeckHTTP
internal import TapedeckRedaction

/// Signs requests by AWS Signature Version 4, in the form that S3 takes: paths are percent-encoded once and never
/// normalized, and the digest of the body is a field of its own.
///
/// Sans I/O: the caller gives the time and sends the request, with `target` as its target. Every field that is given is
/// signed, so fields that a proxy may change must be left out.
///
/// Source: AWS, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
package struct SignatureV4: Sendable {
  /// A request before it is signed.
  package struct Request: Sendable {
    package var method: String
    /// The absolute path, not percent-encoded.
    package var path: String
    /// Names and values, not percent-encoded, in any order.
    package var query: [(name: String, value: String)]
    /// Must hold `Host`.
    package var fields: [(name: String, value: String)]
    /// 64 lower-case hexadecimal digits.
    package var bodySHA256: String

    package init(
      _ method: String, _ path: String, query: [(name: String, value: String)] = [],
      fields: [(name: String, value: String)], bodySHA256: String = Self.emptySHA256
    ) {
      (self.method, self.path, self.query) = (method, path, query)
      (self.fields, self.bodySHA256) = (fields, bodySHA256)
    }

    /// The digest of a body without bytes.
    package static let emptySHA256 = SHA256Digest(of: [UInt8]()).hex

    /// The target to send, in canonical form.
    package var target: String {
      canonicalQuery.isEmpty ? canonicalPath : "\(canonicalPath)?\(canonicalQuery)"
    }
  }

  private static let algorithm = "AWS4-HMAC-SHA256"

  private let credentials: StoreCredentials
  private let region: String
  private let service: String

  package init(_ credentials: StoreCredentials, region: String, service: String = "s3") {
    (self.credentials, self.region, self.service) = (credentials, region, service)
  }

  /// The fields that make a request a signed one; they are added to its own.
  package func fields(for request: Request, at time: SigningTime) -> [(name: String, value: String)] {
    var added = [("x-amz-content-sha256", request.bodySHA256), ("x-amz-date", time.text)]
    if let token = credentials.sessionToken { added.append(("x-amz-security-token", token)) }
    let signed = Self.canonicalFields(request.fields + added.map { (name: $0.0, value: $0.1) })
    let names = signed.map(\.name).joined(separator: ";")
    let lines = signed.map { "\($0.name):\($0.value)\n" }.joined()
    let canonical = [
      request.method, request.canonicalPath, request.canonicalQuery, lines, names, request.bodySHA256,
    ].joined(separator: "\n")
    let scope = "\(time.day)/\(region)/\(service)/aws4_request"
    let text = [Self.algorithm, time.text, scope, SHA256Digest(of: Array(canonical.utf8)).hex]
      .joined(separator: "\n")
    let signature = SHA256Digest(of: Array(text.utf8), key: key(of: time.day)).hex
    added.append(
      (
        "Authorization",
        "\(Self.algorithm) Credential=\(credentials.keyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
      ))
    return added.map { (name: $0.0, value: $0.1) }
  }

  private func key(of day: String) -> [UInt8] {
    [day, region, service, "aws4_request"].reduce(Array("AWS4\(credentials.secret)".utf8)) { key, part in
      SHA256Digest(of: Array(part.utf8), key: key).bytes
    }
  }

  /// Names in lower case and sorted; the values of one name are joined, and runs of blanks become one space.
  private static func canonicalFields(
    _ fields: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var values: [String: [String]] = [:]
    for (name, value) in fields {
      let words = value.utf8.split { $0 == ASCII.space || $0 == ASCII.tab }
      let text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
      values[name.lowercased(), default: []].append(text)
    }
    return values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
      (name: $0, value: (values[$0] ?? []).joined(separator: ","))
    }
  }
}

extension SignatureV4.Request {
  var canonicalPath: String { path.isEmpty ? "/" : Self.encoded(path, keepsSlash: true) }

  /// Sorted after encoding, by name and then by value.
  var canonicalQuery: String {
    query.map { (name: Self.encoded($0.name), value: Self.encoded($0.value)) }
      .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Encodes every byte but the unreserved ones (RFC 3986 §2.3).
  private static func encoded(_ text: String, keepsSlash: Bool = false) -> String {
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        out.append(byte)
      case UInt8(ascii: "/") where keepsSlash: out.append(byte)
      default: out += PercentCoding.encoded(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
