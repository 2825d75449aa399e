internal import TapedeckHTTP
internal import TapedeckProxy

extension Option {
  static let domain = Option(
    "--domain", "NAME", help: "a domain or address that it may certify, and no others", isRepeatable: true)
  static let days = Option(
    "--days", "N", help: "how long its certificate is valid, at most 825", default: "90")
}

extension Verb {
  static let authority = Verb(
    name: "ca", group: .more, summary: "the authority for HTTPS: create, path, trust or rotate",
    synopsis: "create|path|trust|rotate [--domain NAME]… [--days N]", options: [.domain, .days],
    examples: ["tapedeck ca create --domain example.com", "tapedeck ca trust"],
    notes: """
      create makes an authority, whose certificate clients have to trust before --tls serves them; path prints where the
      certificate is, trust what to type so that a client trusts it, and rotate makes a new authority in its place. The
      authority is stored in $XDG_DATA_HOME/tapedeck or ~/.local/share/tapedeck, its private key readable by you alone.
      With --domain it can certify these domains and what is below them, and clients refuse any other certificate by it.
      Nothing is installed.
      """, choices: Action.allCases.map(\.rawValue)
  ) { arguments in
    let word = try arguments.words("action", required: 1)[0]
    let action = try action(word)
    let makes = action == .create || action == .rotate
    for option in [Option.domain, .days] where arguments.isGiven(option) && !makes {
      throw UsageError("\(option.name) goes with create and rotate")
    }
    let folder = try AuthorityFolder()
    switch action {
    case .create where folder.isThere:
      throw Failure("there is an authority in \(folder.path) already; replace it with: tapedeck ca rotate")
    case .create, .rotate: try make(arguments, in: folder)
    case .path:
      _ = try folder.read()
      Terminal.out("\(folder.certificatePath)\n")
    case .trust:
      _ = try folder.read()
      Terminal.out(TrustInstructions(certificate: folder.certificatePath).text)
    }
    return .good
  }

  private enum Action: String, CaseIterable { case create, path, trust, rotate }

  private static func action(_ word: String) throws(UsageError) -> Action {
    if let action = Action(rawValue: word) { return action }
    let known = Action.allCases.map(\.rawValue)
    throw UsageError(
      "ca takes \(known.joined(separator: ", ")), not \(word.debugDescription)\(word.suggestion(among: known))"
    )
  }

  private static func make(_ arguments: Arguments, in folder: AuthorityFolder) throws {
    let days = try arguments.number(.days, in: 1...825) ?? 90
    let domains = arguments.all(.domain)
    let authority = try UsageError.from(.domain) { try AuthorityPEM(domains: domains, days: days) }
    try folder.write(authority)
    Terminal.out("\(folder.certificatePath)\n")
    let scope =
      domains.isEmpty
      ? "any name; --domain NAME would limit what its key is good for" : domains.joined(separator: ", ")
    Terminal.say("the authority is valid for \(HumanText.count(days, "day")) and for \(scope)")
    Terminal.say("what to type so that clients trust it: tapedeck ca trust")
  }
}
