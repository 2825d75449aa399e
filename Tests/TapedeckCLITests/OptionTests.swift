import Foundation
import Testing

@testable import TapedeckCLI

private let one = Option("--one", "X", help: "")
private let verb = Verb(
  name: "verb", group: .more, summary: "", synopsis: "",
  options: [.cassette, .listen, .port, .strict, .redact, .noRedact, .mode, .adminToken, one]
) { _ in .good }

private func environment(_ variables: [String: String]) -> EnvironmentDefaults {
  EnvironmentDefaults { variables[$0] }
}

@Test func `the command line wins over the environment, and both over the file`() throws {
  let file = try file(#"{"cassette": "c", "strict": true, "port": 1, "redact": ["x", "y"]}"#)
  var arguments = try Arguments(["--cassette", "a"], for: verb)
  try arguments.add(
    environment([
      "TAPEDECK_CASSETTE": "b", "TAPEDECK_STRICT": "no", "TAPEDECK_REDACT": "r\ns", "TAPEDECK_ONE": "1",
    ]))
  try arguments.add(file)
  #expect(arguments[.cassette] == "a")
  #expect(!arguments.has(.strict))
  #expect(arguments.all(.redact) == ["r", "s"])
  #expect(arguments[.port] == "1" && arguments[one] == "1")
  #expect(arguments.isGiven(.cassette) && !arguments.isGiven(one))
  #expect(arguments.name(one) == "TAPEDECK_ONE")
}

@Test(
  arguments: [
    (["--port", "0"], ["TAPEDECK_LISTEN": "127.0.0.1:1"], ["--port"]),
    (["--no-redact"], ["TAPEDECK_REDACT": "x"], ["--no-redact"]),
    ([], ["TAPEDECK_LISTEN": "127.0.0.1:1"], ["--listen"]),
    ([], ["TAPEDECK_PORT": "1", "TAPEDECK_LISTEN": "127.0.0.1:1"], ["--listen", "--port"]),
  ])
func `an option leaves out what it excludes of weaker sources only`(
  words: [String], variables: [String: String], names: [String]
) throws {
  var arguments = try Arguments(words, for: verb)
  try arguments.add(environment(variables))
  #expect(arguments.settings.keys.sorted() == names)
}

@Test(arguments: [("1", true), ("TRUE", true), ("yes", true), ("0", false), ("false", false), ("no", false)])
func `a variable switches on or off`(text: String, isOn: Bool) throws {
  var arguments = try Arguments([], for: verb)
  try arguments.add(environment(["TAPEDECK_STRICT": text]))
  #expect(arguments.has(.strict) == isOn)
}

@Test func `a variable that makes no sense is named`() throws {
  var arguments = try Arguments([], for: verb)
  let error = #expect(throws: UsageError.self) { try arguments.add(environment(["TAPEDECK_STRICT": "on"])) }
  #expect(error?.message == "TAPEDECK_STRICT takes 1 or 0, not \"on\"")
}

@Test(
  arguments: [
    ("TAPEDECK_CASETTE", "TAPEDECK_CASETTE is not read; did you mean TAPEDECK_CASSETTE?"),
    ("TAPEDECK_URL", nil), ("TAPEDECK_CASSETTE", nil), ("TAPEDECK_SOMETHING_ELSE", nil), ("CASETTE", nil),
  ])
func `a variable with nearly the name of an option is told of`(name: String, notice: String?) {
  #expect(EnvironmentDefaults.notices([name]) == (notice.map { [$0] } ?? []))
}

@Test func `under CI nothing is recorded unless the command line or the environment says so`() throws {
  for (words, variables, mode) in [
    ([], [:], "none"), (["--mode", "all"], [:], "all"), ([], ["TAPEDECK_MODE": "once"], "once"),
  ] as [([String], [String: String], String)] {
    var arguments = try Arguments(words, for: verb)
    try arguments.add(environment(variables))
    try arguments.add(ContinuousIntegrationDefaults())
    try arguments.add(file(#"{"mode": "all"}"#))
    #expect(arguments[.mode] == mode)
  }
}

// MARK: The file

private func file(_ text: String) throws -> ConfigurationFile {
  let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path
  try text.write(toFile: path, atomically: false, encoding: .utf8)
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try ConfigurationFile(path)
}

@Test(
  arguments: [
    ("{", "is not JSON"), ("[]", "is not a JSON object"), (#"{"casette": "a"}"#, "did you mean cassette?"),
    (#"{"cassette": "a", "cassette": "b"}"#, "sets cassette twice"),
    (#"{"print-config": true}"#, "is no option"),
    (#"{"insecure": true}"#, "write --insecure on the command line, or set TAPEDECK_INSECURE"),
  ])
func `a file that is wrong is refused`(text: String, part: String) {
  let error = #expect(throws: UsageError.self) { try file(text) }
  #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
}

@Test(
  arguments: [
    (#"{"strict": 1}"#, "takes true or false, not 1"),
    (#"{"cassette": true}"#, "takes a text or a number, not true"),
    (#"{"port": [1]}"#, "takes one value, not a list"), (#"{"redact": [null]}"#, "takes a text or a number"),
    (#"{"cassette": "${HOME}"}"#, "variables are not expanded"),
  ])
func `a value in a file that makes no sense is named`(text: String, part: String) throws {
  let file = try file(text)
  var arguments = try Arguments([], for: verb)
  let error = #expect(throws: UsageError.self) { try arguments.add(file) }
  #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
}

/// What a checkout must not bring along.
@Test(
  arguments: [
    "upstream-header", "no-redact", "keep", "insecure", "share", "proxy-auth", "admin-token", "client-key",
    "env",
    "listen", "report", "force",
  ])
func `a file cannot loosen what protects its user`(name: String) {
  #expect(throws: UsageError.self) { try file("{\"\(name)\": true}") }
}

@Test func `credentials are not printed`() throws {
  var arguments = try Arguments(["--cassette", "a"], for: verb)
  try arguments.add(environment(["TAPEDECK_ADMIN_TOKEN": "hunter2hunter2"]))
  let shown = arguments.inForce.map { ShownSetting($0, $1) }
  #expect(!shown.contains { $0.text.contains("hunter2") })
  #expect(shown.contains { $0.source == "TAPEDECK_ADMIN_TOKEN" })
}

// MARK: One table for help, manual, completions and reference

@Test(arguments: Verb.all.map(\.name)) func `every option is wherever a user looks for it`(name: String)
  throws
{
  let verb = try #require(Verb.named(name))
  let (help, page) = (verb.helpText(isWhole: true), ManualPage(verb).text)
  let branches = Shell.allCases.map { (shell: $0, text: branch(of: name, in: $0)) }
  for option in verb.allOptions {
    #expect(help.contains("  \(option.usage) "), "help \(name) --all: \(option.name)")
    #expect(
      entries(of: page).contains { isNamed(option.name, in: $0) }, "tapedeck-\(name)(1): \(option.name)")
    for (shell, text) in branches {
      #expect(offers(option.name, text, shell), "\(shell): \(name) \(option.name)")
    }
  }
  #expect(ManualPage.command.text.contains("tapedeck\\-\(name)(1)"))
}

/// The lines of a script that are about one verb.
private func branch(of verb: String, in shell: Shell) -> String {
  let lines = shell.completions.split(separator: "\n").map(String.init)
  if shell == .fish {
    let condition = "__fish_seen_subcommand_from \(verb)"
    return lines.filter {
      $0.contains("\(condition) ") || $0.contains("\(condition)'") || $0.contains("\(condition);")
    }
    .joined(separator: "\n") + "\n"
  }
  let start = lines.drop { !$0.hasPrefix("  \(verb))") && !$0.hasPrefix("  \(verb)|") }
  return start.dropFirst().prefix { !$0.hasPrefix("  ") || $0.hasPrefix("    ") }.joined(separator: "\n")
}

/// The lines of a manual page that begin an entry, as `.B \-\-port` does.
private func entries(of page: String) -> [String] {
  page.replacing("\\-", with: "-").split(separator: "\n").filter { $0.hasPrefix(".B") }.map(String.init)
}

private func offers(_ option: String, _ script: String, _ shell: Shell) -> Bool {
  switch shell {
  case .bash: isNamed(option, in: script)
  // Other options name those that they exclude.
  case .zsh: script.contains("\(option)[") || script.contains("\(option)=[")
  case .fish: isNamed("-l \(option.dropFirst(2))", in: script)
  }
}

/// Whether a text holds the name, and not only a longer one such as `--tls-cert` for `--tls`.
private func isNamed(_ name: String, in text: String) -> Bool {
  text.ranges(of: name).contains { range in
    guard range.upperBound < text.endIndex else { return true }
    let next = text[range.upperBound]
    return !next.isLetter && !next.isNumber && next != "-"
  }
}

@Test func `a longer name is no option that was left out`() {
  #expect(isNamed("--tls", in: "--tls-cert --tls") && isNamed("--tls", in: "'--tls[over TLS]'"))
  #expect(!isNamed("--tls", in: "--tls-cert --tlsx"))
  #expect(entries(of: ".TP\n.B \\-\\-port\nas in \\-\\-listen\n") == [".B --port"])
}

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The tables of the page *Options*: each name once, with the verbs that take it.
private var referenceTables: String {
  Verb.headings(TapedeckCLI.Option.every).map { heading, options in
    let rows = options.map { option in
      let takers = Verb.all.filter { $0.allOptions.contains { $0.name == option.name } }
      let verbs =
        takers.count == Verb.all.count ? "all" : takers.map { "`\($0.name)`" }.joined(separator: ", ")
      let names =
        ([option.name, option.short].compactMap(\.self) + option.aliases.filter { $0 != option.short })
      let usage = names.enumerated().map { "`\($1)\($0 == 0 ? option.value.map { " \($0)" } ?? "" : "")`" }
      let cells = [usage.joined(separator: ", "), meanings(of: option.name), verbs]
      return "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }
    return "## \(heading.rawValue)\n\n| option | meaning | verbs |\n|---|---|---|\n\(rows.joined())"
  }.joined(separator: "\n")
}

/// An option may mean different things to verbs.
private func meanings(of name: String) -> String {
  var seen: Set<String> = []
  return Verb.all.flatMap(\.allOptions).filter { $0.name == name && seen.insert($0.explanation).inserted }
    .map(\.explanation.markdown).joined(separator: ". Or ")
}

extension String {
  fileprivate var markdown: String { replacing("*", with: "\\*").replacing("<", with: "\\<") }
}

/// `TAPEDECK_WRITE_REFERENCE=1` writes the tables anew.
@Test func `the reference has every option`() throws {
  let path = repository.appending(path: "Sources/Tapedeck/Tapedeck.docc/Options.md")
  let page = try String(contentsOf: path, encoding: .utf8)
  let start = try #require(page.range(of: "## Cassette\n")?.lowerBound)
  if ProcessInfo.processInfo.environment["TAPEDECK_WRITE_REFERENCE"] == "1" {
    try (page[..<start] + referenceTables).write(to: path, atomically: true, encoding: .utf8)
  } else {
    #expect(String(page[start...]) == referenceTables, "TAPEDECK_WRITE_REFERENCE=1 writes the tables anew")
  }
}
