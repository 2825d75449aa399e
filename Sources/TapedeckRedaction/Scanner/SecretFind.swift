import TapedeckHTTP

/// Something in a file that looks like a secret: what it is and where it stands, but never the secret itself.
public struct SecretFind: Sendable, Equatable {
  /// The file's name or path.
  public var file = ""
  /// The line, counted from 1; `nil` in JSON and messages.
  public var line: Int?
  /// `request.headers Authorization`, `response.body $.user.token`; `nil` in plain texts.
  public var place: String?
  /// `a GitHub token`, `a private key`, `a value under the name of a secret`.
  public var looksLike: String
  /// The first characters of the secret: enough to find it, too few to use it.
  public var beginning: String
  /// The name it stands under, as `--redact` and `--keep` take it; `nil` where it has none.
  public var name: String?
  /// What `--keep` takes when it is no secret: the name, or the kind of secret.
  public var keepWord: String?
  /// The secret, for those who redact it.
  package let secret: [UInt8]
  /// The base64 that the secret stands in; `nil` where it stands as it is.
  package let run: [UInt8]?
  /// The base64 without the secret.
  package let redactedRun: [UInt8]?

  init(_ evidence: Evidence, at place: String = "") {
    let place = place + evidence.place
    self.place = place.isEmpty ? nil : String(place.drop { $0 == " " })
    looksLike = evidence.looksLike
    secret = evidence.secret
    run = evidence.run?.text
    redactedRun = evidence.run?.redacted
    // Three of eight characters would be too much.
    let shown = secret.count >= 12 ? secret.prefix(3) : []
    beginning = String(decoding: shown.map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    name = Self.option(evidence.name)
    keepWord = name ?? TokenShapes.match(secret[...], at: secret.startIndex)?.kind
  }

  package func inFile(_ file: String, line: Int? = nil) -> SecretFind {
    var find = self
    find.file = file
    find.line = line
    return find
  }

  /// A name that can be typed as the value of an option, and stands for itself there.
  private static func option(_ name: [UInt8]) -> String? {
    let isPlain = name.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    return isPlain && (2...64).contains(name.count) && name.first != UInt8(ascii: "-")
      ? String(decoding: name, as: UTF8.self) : nil
  }
}

extension SecretFind: CustomStringConvertible {
  public var description: String {
    let line = line.map { ":\($0)" } ?? ""
    let place = place.map { "\($0): " } ?? ""
    return "\(file)\(line): \(place)\(looksLike) (\(beginning)…)"
  }
}
