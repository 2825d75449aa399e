import TapedeckHTTP

/// What is hidden besides the default list, what of that list is kept, and the key of the hashes. A cassette stores them
/// in `cassette.json`, so that a replay needs no options.
public struct RedactionRules: Sendable, Equatable {
  public var key: RedactionKey
  /// What to hide besides the default list.
  public var redact: [RedactionPattern]
  /// Names, as globs, and kinds of secrets that are kept.
  public var keep: [String]

  public init(key: RedactionKey, redact: [RedactionPattern] = [], keep: [String] = []) {
    self.key = key
    self.redact = redact
    self.keep = keep
  }
}

/// What a user wants hidden: `x-internal-*`, the name of a header, parameter, JSON member or cookie; `$.user.email`, a
/// place in a JSON body; `text:ACME-*`, a word in any value.
public struct RedactionPattern: Sendable, Equatable {
  enum Form: Equatable {
    case name(Glob)
    case path(JSONPath)
    case text(Glob)
  }

  /// The pattern as the user wrote it.
  public let text: String
  let form: Form

  /// - Throws: a sentence about what is wrong with the pattern.
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

/// What a user says about redaction when a recording starts. It adds to the rules of the cassette.
public struct RedactionChoice: Sendable, Equatable {
  /// What to hide besides the default list.
  public var redact: [RedactionPattern]
  /// Names and kinds of secrets that are kept.
  public var keep: [String]
  /// Whether redaction is off.
  public var isOff: Bool

  /// Creates a choice.
  public init(redact: [RedactionPattern] = [], keep: [String] = [], isOff: Bool = false) {
    self.redact = redact
    self.keep = keep
    self.isOff = isOff
  }

  /// Whether the default list applies to a cassette whose redaction is off.
  private var turnsOn = false

  package var turnedOn: RedactionChoice {
    var choice = self
    choice.turnsOn = true
    return choice
  }

  private var isEmpty: Bool { redact.isEmpty && keep.isEmpty && !isOff }

  /// The redaction that results.
  /// - Parameter known: the redaction of the cassette; `nil` when the cassette has none.
  package func changed(_ known: Redaction?, upstream: String?) -> Redaction {
    if isOff { return .off }
    if isEmpty, let known, known.isOn || !turnsOn { return known }
    var rules = known?.rules ?? RedactionRules(key: RedactionKey(upstream: upstream))
    rules.redact += redact.filter { !rules.redact.contains($0) }
    rules.keep += keep.filter { !rules.keep.contains($0) }
    return Redaction(rules)
  }
}
