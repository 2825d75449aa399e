import Testing

@testable import TapedeckCLI

@Test func `JUnit reads what we write`() {
  let report = JUnitXML(
    suite: "a & b",
    cases: [
      .init(group: "g", name: "GET /x?a=\"1\"", seconds: 1.2345),
      .init(group: "g", name: "n", outcome: .failed(message: "a < b", detail: "one\ntwo\u{1B}")),
      .init(group: "g", name: "n", outcome: .error(message: "e", detail: "")),
      .init(group: "g", name: "n", outcome: .skipped(message: "s")),
    ])
  #expect(
    report.text == """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="4" failures="1" errors="1" skipped="1" time="1.235">
        <testsuite name="a &amp; b" tests="4" failures="1" errors="1" skipped="1" time="1.235">
          <testcase classname="g" name="GET /x?a=&quot;1&quot;" time="1.235"/>
          <testcase classname="g" name="n">
            <failure message="a &lt; b">one&#10;two\u{FFFD}</failure>
          </testcase>
          <testcase classname="g" name="n">
            <error message="e"></error>
          </testcase>
          <testcase classname="g" name="n">
            <skipped message="s"/>
          </testcase>
        </testsuite>
      </testsuites>

      """)
}

@Test(
  arguments: [
    ("plain", "a.json", 3, "::error file=a.json,line=3,title=t::plain\n"),
    ("50%: a, b", "a:b,c%.json", nil, "::error file=a%3Ab%2Cc%25.json,title=t::50%25: a, b\n"),
    ("one\r\n::warning::two", nil, 3, "::error title=t::one\\u{d}%0A::warning::two\n"),
    ("\u{1B}[2J\u{202E}", nil, nil, "::error title=t::\\u{1b}[2J\\u{202e}\n"),
  ] as [(String, String?, Int?, String)])
func `a workflow command is one line, whatever it says`(
  message: String, file: String?, line: Int?, command: String
) {
  let annotation = GitHubReport.Annotation(
    level: .error, title: "t", message: message, file: file, line: line)
  let report = GitHubReport(title: "tapedeck", exitCode: .good, counts: [], annotations: [annotation])
  #expect(report.commands(environment: { _ in nil }) == command)
}

@Test(
  arguments: [
    ("API_URL", "API_URL", "http://127.0.0.1:80"), ("A=", "A", ""),
    ("A={url}/v1", "A", "http://127.0.0.1:80/v1"),
    ("A={host}|{port}|{other}={}", "A", "127.0.0.1|80|{other}={}"), ("_x1=a=b", "_x1", "a=b"),
  ])
func `a variable says where we are`(argument: String, name: String, value: String) throws {
  let template = try EnvironmentTemplate(argument)
  #expect(template.name == name)
  #expect(template.value(baseURL: "http://127.0.0.1:80") == value)
}

@Test func `IPv6 keeps its brackets`() throws {
  #expect(try EnvironmentTemplate("A={host} {port}").value(baseURL: "http://[::1]:81") == "[::1] 81")
}

@Test(arguments: ["", "=x", "1A", "A B=1", "É"])
func `what is no name of a variable is refused`(argument: String) {
  #expect(throws: UsageError.self) { try EnvironmentTemplate(argument) }
}

private let verb = Verb(
  name: "verb", group: .more, summary: "", synopsis: "WORD",
  options: [
    Option("--switch", help: ""), Option("--one", "X", help: "", aliases: ["-o"]),
    Option("--many", "X", help: "", isRepeatable: true),
  ], takesCommand: false
) { _ in .good }
private let runner = Verb(
  name: "runner", group: .more, summary: "", synopsis: "", options: verb.options, takesCommand: true
) { _ in .good }

@Test func `words are sorted out`() throws {
  let arguments = try Arguments(
    ["a", "--one=x=y", "--many", "1", "--many=2", "--switch", "-", "b", "--", "--one"], for: verb)
  #expect(arguments.positional == ["a", "-", "b", "--one"])
  #expect(arguments[verb.options[1]] == "x=y")
  #expect(arguments.all(verb.options[2]) == ["1", "2"])
  #expect(arguments.has(verb.options[0]))
  #expect(arguments.command.isEmpty)
}

@Test(
  arguments: [
    (["--one", "1", "--", "cmd", "--one", "2"], ["cmd", "--one", "2"]),
    (["--one", "1", "cmd", "run", "--", "--one"], ["cmd", "run", "--", "--one"]),
    (["cmd", "--quite-other", "--", "--one"], ["cmd", "--quite-other", "--", "--one"]),
    (["name", "--one", "1", "--", "cmd", "--", "2"], ["cmd", "--", "2"]),
    (["--switch", "--", "--odd"], ["--odd"]), ([], []), (["--"], []),
  ])
func `a command keeps its own options`(words: [String], command: [String]) throws {
  #expect(try Arguments(words, for: runner).command == command)
}

@Test(
  arguments: [
    ["--oen", "x"], ["--one", "x", "--one", "y"], ["--one", "x", "-o", "y"], ["--switch=1"], ["--one"],
    ["--one", ""],
    ["--one", "--switch"], ["-x"],
  ])
func `words that make no sense are refused`(words: [String]) {
  #expect(throws: UsageError.self) { try Arguments(words, for: verb) }
}

@Test(arguments: [["name", "--oen", "1", "--", "cmd"], ["name", "--one", "--", "cmd"]])
func `a misspelled option before the dashes does not make the cassette a command`(words: [String]) {
  #expect(throws: UsageError.self) { try Arguments(words, for: runner) }
}

@Test func `words that are too few or too many are named`() throws {
  let few = #expect(throws: UsageError.self) {
    try Arguments([], for: verb).words("cassette", required: 1)
  }
  #expect(few?.message == "the cassette is missing: tapedeck verb WORD")
  let many = #expect(throws: UsageError.self) {
    try Arguments(["a", "b"], for: verb).words("cassette", required: 1)
  }
  #expect(many?.message == "too many arguments: \"b\"")
}

@Test func `help knows every verb, fits a screen, and shows each at work`() {
  let lines = Verb.overview.split(separator: "\n", omittingEmptySubsequences: false)
  #expect(lines.count <= 40)
  #expect(lines.allSatisfy { $0.count <= 120 })
  for verb in Verb.all {
    #expect(Verb.overview.contains("  \(verb.name) "))
    #expect(!verb.examples.isEmpty, "\(verb.name)")
    #expect(verb.examples.contains { $0.contains("tapedeck \(verb.name)") }, "\(verb.name)")
    #expect(
      verb.helpText(isWhole: true).split(separator: "\n").allSatisfy { $0.count <= 140 }, "\(verb.name)")
    let names = verb.allOptions.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count, "\(verb.name) has an option twice")
  }
  let words: [String] = Verb.all.flatMap { [$0.name] + $0.aliases }
  #expect(Set(words).count == words.count)
}
