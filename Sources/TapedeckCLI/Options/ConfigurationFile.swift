internal import TapedeckHTTP

/// Values of options from a JSON file: `{"cassette": "example", "strict": true, "redact": ["x-internal-*"]}`.
///
/// A checkout may bring the file along. So it cannot set what would give secrets away, trust other servers, let other
/// machines in, write or change files of its choice, or choose which programs run.
struct ConfigurationFile: OptionDefaults {
  /// The file that is read if it lies in the current folder.
  static let standardPath = "tapedeck.json"

  private let path: String
  private let members: [JSONMember]

  init(_ path: String) throws {
    self.path = path
    let document: JSONValue
    do { document = try JSONValue(parsing: [UInt8](contentsOf: path)) } catch let error as JSONError {
      throw UsageError("\(path) is not JSON: \(error)")
    }
    guard let members = document.members else {
      throw UsageError("\(path) is not a JSON object of options, like {\"cassette\": \"example\"}")
    }
    self.members = members
    try checkNames()
  }

  /// Names of other verbs' options are fine.
  private func checkNames() throws(UsageError) {
    let known = Option.every.map(\.configurationName).filter { !Self.actions.contains($0) }
    var seen: Set<String> = []
    for member in members {
      let name = member.name.text
      if let reason = Self.refused[name] {
        throw UsageError(
          "\(path) may not set \(name), since a checkout can bring the file along: \(reason); write --\(name) on the "
            + "command line, or set \(Option("--\(name)", help: "").variable)")
      }
      guard known.contains(name) else {
        throw UsageError(
          "\(path) sets \(name.debugDescription), which is no option\(name.suggestion(among: known))")
      }
      guard seen.insert(name).inserted else { throw UsageError("\(path) sets \(name) twice") }
    }
  }

  func setting(of option: Option) throws(UsageError) -> OptionSetting? {
    let name = option.configurationName
    guard let value = members.first(where: { $0.name.isEqual(to: name.utf8) })?.value else { return nil }
    guard option.value != nil else {
      if let word = option.optionalValue, value.text == word {
        return OptionSetting([word], from: .file(path))
      }
      guard let isOn = value.bool else {
        throw UsageError("\(name) in \(path) takes true or false, not \(value)")
      }
      return OptionSetting(isOn ? [""] : [], from: .file(path))
    }
    if value.array != nil, !option.isRepeatable {
      // A list is meant for a verb of which the option is repeatable.
      guard Option.every.contains(where: { $0.name == option.name && $0.isRepeatable }) else {
        throw UsageError("\(name) in \(path) takes one value, not a list")
      }
      return nil
    }
    let values = try (value.array ?? [value]).map { value throws(UsageError) in try text(value, of: name) }
    return OptionSetting(values, from: .file(path))
  }

  private func text(_ value: JSONValue, of name: String) throws(UsageError) -> String {
    if case .number = value { return value.description }
    guard let text = value.text, !text.isEmpty else {
      throw UsageError("\(name) in \(path) takes a text or a number, not \(value)")
    }
    guard !text.contains("${") else {
      throw UsageError(
        "\(name) in \(path): variables are not expanded there; set \(Option("--\(name)", help: "").variable)")
    }
    return text
  }

  /// What is done once, and is no setting.
  private static let actions: Set<String> = ["config", "print-config", "help", "all", "man"]

  /// Options that the file may not set, and what they would do.
  private static let refused: [String: String] = {
    let reasons: [(String, [String])] = [
      ("it could send your secrets to an origin of its choice", ["upstream-header", "header"]),
      ("it could send your admin token to a server of its choice", ["admin-url"]),
      ("it could let secrets into recordings", ["no-redact", "keep"]),
      ("it could trust servers of its choice", ["insecure", "cacert"]),
      (
        "it is a credential, or uses one",
        ["proxy-auth", "admin-token", "admin-token-file", "upstream-proxy"]
      ),
      ("it could use a key of yours", ["client-cert", "client-key", "tls-cert", "tls-key"]),
      ("it could let other machines in", ["listen", "admin-listen", "admin-plaintext"]),
      ("it could let a command out of its isolation", ["share"]),
      ("it could choose which programs run", ["env"]),
      (
        "it could overwrite a file of yours",
        ["report", "report-junit", "ready-file", "admin-ready-file", "output", "out"]
      ),
      ("it could change data that nobody asked it to", ["fix", "force", "unsafe-methods"]),
    ]
    return Dictionary(uniqueKeysWithValues: reasons.flatMap { reason, names in names.map { ($0, reason) } })
  }()
}
