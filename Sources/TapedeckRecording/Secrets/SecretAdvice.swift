import TapedeckHTTP
public import TapedeckRedaction

/// Messages about finds in a cassette, with the commands that help.
public enum SecretAdvice {
  private static let maximumListed = 10

  /// `2 secrets` or `a secret`.
  public static func count(_ finds: [SecretFind]) -> String {
    finds.count == 1 ? "a secret" : "\(finds.count) secrets"
  }

  /// The finds one by one, but only as many as people read.
  static func list(_ finds: [SecretFind]) -> [String] {
    let rest = finds.count - maximumListed
    return finds.prefix(maximumListed).map { "  \($0)" } + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  /// Commands that hide what was found, now and from now on, or keep it, each with its purpose.
  /// - Parameter hasRules: whether it is a cassette, which has rules to keep.
  public static func commands(_ finds: [SecretFind], path: String, hasRules: Bool = true) -> [String] {
    let scan = "tapedeck scan \(ShellWord.quoted(path))"
    let fix = "\(scan) --fix"
    var commands = [(fix, "hides what was found")]
    if hasRules, let name = finds.lazy.compactMap(\.name).first {
      commands.append(("\(fix) --redact \(name)", "and from now on all that stands under that name"))
    }
    if let word = finds.lazy.compactMap(\.keepWord).first {
      commands.append(("\(hasRules ? fix : scan) --keep \(word)", "if that is no secret"))
    }
    let width = commands.map(\.0.utf8.count).max() ?? 0
    return commands.map { command, purpose in
      "  \(command)\(String(repeating: " ", count: width - command.utf8.count))   \(purpose)"
    }
  }

  /// The message about finds that were sealed.
  public static func warning(_ finds: [SecretFind], path: String) -> String {
    let head = "\(path) holds what looks like \(count(finds)) that redaction has not hidden:"
    return ([head] + list(finds) + commands(finds, path: path)).joined(separator: "\n")
  }

  private static func again(_ finds: [SecretFind]) -> String {
    let name = finds.lazy.compactMap(\.name).first ?? "NAME"
    let word = finds.lazy.compactMap(\.keepWord).first ?? "NAME"
    return
      "do it again with --redact \(name) to hide what stands under that name, or with --keep \(word) if that is no secret"
  }

  /// The message about finds that prevented sealing.
  static func refusal(_ finds: [SecretFind], path: String, isKept: Bool) -> String {
    let head = [
      "nothing was sealed into \(path): what was recorded holds what looks like \(count(finds)) that redaction "
        + "has not hidden:"
    ]
    guard isKept else { return (head + list(finds) + [again(finds)]).joined(separator: "\n") }
    let wait = [
      "the recording waits in \(path)/journal.jsonl, secrets and all: do not commit it; delete it to go without. "
        + "To seal it:"
    ]
    return (head + list(finds) + wait + commands(finds, path: path)).joined(separator: "\n")
  }
}
