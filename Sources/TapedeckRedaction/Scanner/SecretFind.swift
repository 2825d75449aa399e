import TapedeckHTTP

/// A probable secret in a file: its kind and its place, but never the secret itself.
public struct SecretFind: Sendable, Equatable {
  /// The name or path of the file.
  public var file = ""
  /// The line, counted from 1; `nil` in JSON and messages.
  public var line: Int?
  /// The place, possibly with a leading blank.
  private var path = ""
  private var writtenName: [UInt8]
  /// The kind: `a GitHub token`, `a private key`, `a value under the name of a secret`.
  public let looksLike: String
  /// The secret itself, for redaction only.
  package let secret: [UInt8]
  /// The base64 that contains the secret, and the same redacted; `nil` where the secret is not encoded.
  package internal(set) var run: [UInt8]?
  package internal(set) var redactedRun: [UInt8]?

  init(_ looksLike: String, _ secret: some Sequence<UInt8>, named name: some Sequence<UInt8>) {
    self.looksLike = looksLike
    self.secret = Array(secret)
    writtenName = Array(name)
  }

  /// The find for a body whose content coding could not be opened, so that nobody knows what it holds.
  init(unsearchedIn coding: BodyCoding) {
    self.init("a body that could not be opened: Content-Encoding \(coding.label)", [], named: [])
  }

  /// Whether this is no secret but a body that could not be searched.
  public var isUnsearchedBody: Bool { secret.isEmpty }

  /// What `--keep` takes to accept bodies that cannot be searched.
  package static let unsearchedBodies = "content-encoding"

  /// The place: `request.headers Authorization`, `response.body $.user.token`; `nil` in plain text.
  public var place: String? { path.isEmpty ? nil : String(path.drop { $0 == " " }) }

  /// The first characters of the secret, enough to find it but too few to use it.
  public var beginning: String {
    // Three of eight characters would reveal too much.
    let shown = secret.count >= 12 ? secret.prefix(3) : []
    return String(decoding: shown.map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// The secret's name for `--redact` and `--keep`; `nil` where none can be typed as a literal value.
  public var name: String? {
    guard !isUnsearchedBody else { return nil }
    let isPlain = writtenName.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    return isPlain && (2...64).contains(writtenName.count) && writtenName.first != UInt8(ascii: "-")
      ? String(decoding: writtenName, as: UTF8.self) : nil
  }

  /// The value for `--keep` if this is no secret: the name, or the kind of secret.
  public var keepWord: String? {
    guard !isUnsearchedBody else { return Self.unsearchedBodies }
    return name ?? TokenShapes.match(secret[...], at: secret.startIndex)?.kind
  }

  /// Prefixes its place with `place`. `name` applies to a find without a name.
  package mutating func put(at place: String, named name: ArraySlice<UInt8> = []) {
    path = place + path
    if writtenName.isEmpty { writtenName = Array(name) }
  }

  package func inFile(_ file: String, line: Int? = nil) -> SecretFind {
    var find = self
    find.file = file
    find.line = line
    return find
  }
}

extension SecretFind: CustomStringConvertible {
  public var description: String {
    let line = line.map { ":\($0)" } ?? ""
    let place = place.map { "\($0): " } ?? ""
    return "\(file)\(line): \(place)\(looksLike)" + (isUnsearchedBody ? "" : " (\(beginning)…)")
  }
}
