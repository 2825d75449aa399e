import TapedeckHTTP

/// What is hidden beside the default list, what of that list is not, and the key of the hashes. They stand in
/// `cassette.json`, so that replay needs to be told nothing.
public struct RedactionRules: Sendable, Equatable {
  public var key: RedactionKey
  /// What to hide that the default list does not.
  public var redact: [RedactionPattern]
  /// Names, as globs, and kinds of secrets that are not hidden.
  public var keep: [String]

  public init(key: RedactionKey, redact: [RedactionPattern] = [], keep: [String] = []) {
    self.key = key
    self.redact = redact
    self.keep = keep
  }
}

/// What a user wants hidden: `x-internal-*`, a name of a header, parameter, JSON member or cookie; `$.user.email`, a place
/// in a JSON body; `text:ACME-*`, a word in any value.
public struct RedactionPattern: Sendable, Equatable {
  enum Form: Equatable {
    case name(Glob)
    case path(JSONPath)
    case text(Glob)
  }

  /// As the user wrote it.
  public let text: String
  let form: Form

  /// Throws a sentence about what is wrong with it.
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

/// Why a pattern makes no sense.
public struct RedactionPatternError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
