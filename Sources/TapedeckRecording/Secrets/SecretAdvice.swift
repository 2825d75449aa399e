import TapedeckHTTP
public import TapedeckRedaction

/// Messages about secrets found in a cassette, with helpful commands.
public enum SecretAdvice {
  private static let maximumListed = 10

  /// `2 secrets`, `a secret`, `a secret and a body that could not be searched`.
  public static func count(_ finds: [SecretFind]) -> String {
    let bodies = finds.count { $0.isUnsearchedBody }
    let parts = [
      number(finds.count - bodies, "a secret", "secrets"),
      number(bodies, "a body that could not be searched", "bodies that could not be searched"),
    ]
    return parts.compactMap { $0 }.joined(separator: " and ")
  }

  /// `what looks like 2 secrets that redaction has not hidden`, and bodies that could not be searched.
  private static func what(_ finds: [SecretFind]) -> String {
    let secrets = finds.filter { !$0.isUnsearchedBody }
    let bodies = finds.filter(\.isUnsearchedBody)
    let parts = [
      secrets.isEmpty ? nil : "what looks like \(count(secrets)) that redaction has not hidden",
      bodies.isEmpty ? nil : "\(count(bodies)) for secrets",
    ]
    return parts.compactMap { $0 }.joined(separator: ", and ")
  }

  private static let accepting = "if no body that cannot be searched holds a secret"

  private static func number(_ count: Int, _ one: String, _ many: String) -> String? {
    count == 0 ? nil : count == 1 ? one : "\(count) \(many)"
  }

  static func list(_ finds: [SecretFind]) -> [String] {
    let rest = finds.count - maximumListed
    return finds.prefix(maximumListed).map { "  \($0)" } + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  /// Commands that hide or keep the finds, each with its purpose; `hasRules` if the cassette stores rules.
  public static func commands(_ finds: [SecretFind], path: String, hasRules: Bool = true) -> [String] {
    let scan = "tapedeck scan \(ShellWord.quoted(path))"
    let fix = "\(scan) --fix"
    let secrets = finds.filter { !$0.isUnsearchedBody }
    var commands = secrets.isEmpty ? [] : [(fix, "hides what was found")]
    if hasRules, let name = secrets.lazy.compactMap(\.name).first {
      commands.append(("\(fix) --redact \(name)", "and from now on all that stands under that name"))
    }
    if let word = secrets.lazy.compactMap(\.keepWord).first {
      commands.append(("\(hasRules ? fix : scan) --keep \(word)", "if that is no secret"))
    }
    if secrets.count < finds.count {
      let keep = "--keep \(SecretFind.unsearchedBodies)"
      commands.append(("\(hasRules ? fix : scan) \(keep)", accepting))
    }
    let width = commands.map(\.0.utf8.count).max() ?? 0
    return commands.map { command, purpose in
      "  \(command)\(String(repeating: " ", count: width - command.utf8.count))   \(purpose)"
    }
  }

  /// The message about finds that were sealed.
  public static func warning(_ finds: [SecretFind], path: String) -> String {
    let head = "\(path) holds \(what(finds)):"
    return ([head] + list(finds) + commands(finds, path: path)).joined(separator: "\n")
  }

  /// The warning about bodies that were written though they could not be searched.
  public static func unsearched(coding: String) -> String {
    "warning: bodies in content coding \(coding) are recorded without being scanned for secrets"
  }

  private static func again(_ finds: [SecretFind]) -> String {
    let secrets = finds.filter { !$0.isUnsearchedBody }
    let bodies = "--keep \(SecretFind.unsearchedBodies) \(accepting)"
    guard !secrets.isEmpty else { return "do it again with \(bodies)" }
    let name = secrets.lazy.compactMap(\.name).first ?? "NAME"
    let word = secrets.lazy.compactMap(\.keepWord).first ?? "NAME"
    return "do it again with --redact \(name) to hide what stands under that name, or with --keep \(word) "
      + "if that is no secret" + (secrets.count < finds.count ? ", and with \(bodies)" : "")
  }

  static func refusal(_ finds: [SecretFind], path: String, isKept: Bool) -> String {
    let head = ["nothing was sealed into \(path): what was recorded holds \(what(finds)):"]
    guard isKept else { return (head + list(finds) + [again(finds)]).joined(separator: "\n") }
    let wait = [
      "the recording waits in \(path)/journal.jsonl, secrets and all: do not commit it; delete it to go without. "
        + "To seal it:"
    ]
    return (head + list(finds) + wait + commands(finds, path: path)).joined(separator: "\n")
  }
}
