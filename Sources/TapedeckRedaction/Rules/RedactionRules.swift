import TapedeckHTTP

/// What to hide besides the default list, what to keep of it, and the key of the hashes; in `cassette.json`.
public struct RedactionRules: Sendable, Equatable {
  /// The key of the keyed hash in placeholders. It makes the hashes of different cassettes incomparable, and
  /// no more: it is readable in the cassette, so anyone who guesses a secret can confirm the guess.
  public var key: String
  /// What to hide in addition to the default list.
  public var redact: [RedactionPattern]
  /// Names (as globs) and kinds of secrets that are not hidden.
  public var keep: [String]

  public init(key: String, redact: [RedactionPattern] = [], keep: [String] = []) {
    self.key = key
    self.redact = redact
    self.keep = keep
  }

  /// The key for an origin. It uses the host alone, so that two recordings of one API share placeholders.
  public static func key(upstream: String?) -> String {
    let url = upstream ?? ""
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let end = authority.first == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: ":")
    let host = String(decoding: authority.prefix { $0 != end }.map(ASCII.lowercased), as: UTF8.self)
    return String(SHA256Digest(of: Array("tapedeck redaction key of \(host)".utf8)).hex.prefix(32))
  }
}

/// Something the user wants hidden: `x-internal-*` (the name of a header, parameter, JSON member or cookie),
/// `$.user.email` (a place in a JSON body) or `text:ACME-*` (a word in any value).
public struct RedactionPattern: Sendable, Equatable {
  enum Form: Equatable {
    case name(Glob)
    case path(JSONPath)
    case text(Glob)
  }

  /// The pattern as the user wrote it.
  public let text: String
  let form: Form

  /// - Throws: a sentence that says what is wrong with the pattern.
  public init(_ text: String) throws(RedactionPatternError) {
    self.text = text
    guard text.utf8.count <= 200 else { throw RedactionPatternError("is longer than 200 bytes") }
    if text.hasPrefix("$") {
      do throws(JSONPathError) { form = .path(try JSONPath(text)) } catch {
        throw RedactionPatternError("is no JSON path: \(error)")
      }
    } else if text.hasPrefix("text:") {
      let glob = text.dropFirst("text:".count)
      guard glob.contains(where: { $0 != "*" && $0 != "?" }) else {
        throw RedactionPatternError("would hide every word there is")
      }
      form = .text(Glob(String(glob)))
    } else {
      guard text.contains(where: { $0 != "*" && $0 != "?" }) else {
        throw RedactionPatternError("would hide every value there is")
      }
      form = .name(Glob(text))
    }
  }
}

/// Why a pattern is invalid.
public struct RedactionPatternError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}

/// The redaction options of a recording. They add to the rules of the cassette.
public struct RedactionChoice: Sendable, Equatable {
  /// What to hide in addition to the default list.
  public var redact: [RedactionPattern]
  /// Names and kinds of secrets that are not hidden.
  public var keep: [String]
  /// Whether redaction is off.
  public var isOff: Bool

  /// Creates a choice.
  public init(redact: [RedactionPattern] = [], keep: [String] = [], isOff: Bool = false) {
    self.redact = redact
    self.keep = keep
    self.isOff = isOff
  }

  /// Whether to apply the default list to a cassette whose redaction is off.
  private var turnsOn = false

  package var turnedOn: RedactionChoice {
    var choice = self
    choice.turnsOn = true
    return choice
  }

  private var isEmpty: Bool { redact.isEmpty && keep.isEmpty && !isOff }

  /// The resulting redaction.
  /// - Parameter known: the redaction of the cassette; `nil` when the cassette has none.
  package func changed(_ known: Redaction?, upstream: String?) -> Redaction {
    if isOff { return .off }
    if isEmpty, let known, known.isOn || !turnsOn { return known }
    var rules = known?.rules ?? RedactionRules(key: RedactionRules.key(upstream: upstream))
    rules.redact += redact.filter { !rules.redact.contains($0) }
    rules.keep += keep.filter { !rules.keep.contains($0) }
    return Redaction(rules)
  }
}
