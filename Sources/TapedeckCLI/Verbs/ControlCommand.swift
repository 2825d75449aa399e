internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// The words behind `ctl` as a request to the admin API.
struct ControlCommand {
  private(set) var method = HTTPMethod.get
  private(set) var target = ""
  private(set) var body: [UInt8]?
  private var query: [(String, String)] = []
  private var rest: ArraySlice<String>

  init(_ words: [String], session: String?) throws {
    rest = words[...]
    let what = try next("WHAT")
    switch what {
    case "health": ask("health")
    case "mode": change(.put, "mode", ["mode": JSONValue(try next("MODE"))])
    case "cassette": try cassette()
    case "eject": change(.delete, "cassette", nil)
    case "data": try data()
    case "journal": try journal()
    case "verify": send(.post, "verifications", try json(next("JSON")))
    case "reset": try reset()
    case "sessions": try sessions()
    case "export": try export()
    default: try rules(what)
    }
    if let word = rest.first { throw UsageError("\(word.debugDescription) is one word too many") }
    // Those that are about the whole proxy know no session.
    if let session {
      guard !["health", "mode", "cassette", "eject", "sessions"].contains(what) else {
        throw UsageError("\(what) is about all sessions; leave --session out")
      }
      query.append(("session", session))
    }
    target =
      "/v1/\(target)"
      + (query.isEmpty ? "" : "?" + query.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&"))
  }

  private mutating func next(_ name: String) throws(UsageError) -> String {
    guard let word = rest.popFirst() else { throw UsageError("\(name) is missing") }
    return word
  }

  private mutating func ask(_ path: String) { target = path }

  private mutating func send(_ method: HTTPMethod, _ path: String, _ bytes: [UInt8]) {
    self.method = method
    target = path
    body = bytes
  }

  private mutating func change(_ method: HTTPMethod, _ path: String, _ value: JSONValue?) {
    self.method = method
    target = path
    body = value?.bytes(.compact)
  }

  /// The text itself, `@FILE`, or `-`.
  private func json(_ word: String) throws -> [UInt8] {
    if word == "-" { return try Files.read("/dev/stdin") }
    return word.hasPrefix("@") ? try Files.read(String(word.dropFirst())) : Array(word.utf8)
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
      if isPlain || "-._~/".utf8.contains(byte) { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  // MARK: What there is

  private mutating func rules(_ kind: String) throws {
    let known = OverrideKind.allCases.map(\.rawValue)
    guard known.contains(kind) else {
      let all =
        known + [
          "health", "mode", "cassette", "eject", "data", "journal", "verify", "reset", "sessions", "export",
        ]
      throw UsageError(
        "unknown word \(kind.debugDescription)\(Spelling.hint(kind, among: all)); known are \(all.joined(separator: ", "))"
      )
    }
    guard let verb = rest.popFirst() else { return ask(kind) }
    switch verb {
    case "list": ask(kind)
    case "add": send(.post, kind, try json(next("JSON")))
    case "set": send(.put, "\(kind)/\(Self.encoded(try next("ID")))", try json(next("JSON")))
    case "get": ask("\(kind)/\(Self.encoded(try next("ID")))")
    case "rm": change(.delete, "\(kind)/\(Self.encoded(try next("ID")))", nil)
    case "clear": change(.delete, kind, nil)
    default:
      let verbs = ["list", "add", "set", "get", "rm", "clear"]
      throw UsageError(
        "\(kind) takes \(verbs.joined(separator: ", ")), not \(verb.debugDescription)\(Spelling.hint(verb, among: verbs))"
      )
    }
  }

  private mutating func cassette() throws {
    var members = [JSONMember("name", JSONValue(try next("NAME")))]
    if let mode = rest.popFirst() { members.append(JSONMember("mode", JSONValue(mode))) }
    change(.put, "cassette", .object(members))
  }

  private mutating func data() throws {
    let path = "resources/\(Self.encoded(try next("ID")))/data"
    if let word = rest.popFirst() { send(.put, path, try json(word)) } else { ask(path) }
  }

  private mutating func reset() throws {
    guard let word = rest.popFirst() else { return change(.post, "reset", [:]) }
    guard word == "journal" else { throw UsageError("reset takes journal, not \(word.debugDescription)") }
    change(.post, "reset", ["journal": true])
  }

  private mutating func sessions() throws {
    switch rest.popFirst() {
    case nil: ask("sessions")
    case "begin"?: change(.put, "sessions/\(Self.encoded(try next("NAME")))", nil)
    case "rm"?: change(.delete, "sessions/\(Self.encoded(try next("NAME")))", nil)
    case let word?: throw UsageError("sessions takes begin and rm, not \(word.debugDescription)")
    }
  }

  private mutating func export() throws {
    let format = try next("FORMAT, har or cassette,")
    guard format == "cassette" else { return change(.post, "exports", ["format": JSONValue(format)]) }
    change(.post, "exports", ["format": "cassette", "name": JSONValue(try next("NAME"))])
  }

  private mutating func journal() throws {
    ask("journal")
    if rest.first == "clear" {
      rest.removeFirst()
      return change(.delete, "journal", nil)
    }
    if let word = rest.first, !word.contains("=") {
      rest.removeFirst()
      return ask("journal/\(Self.encoded(word))")
    }
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("a filter is like status=502, not \(word.debugDescription)")
      }
      query.append((Self.encoded(parts[0]), parts[1]))
    }
  }

  // MARK: Its answer

  /// Lists for people; nil for what is shown as it is.
  func table(_ json: JSONValue) -> String? {
    guard Terminal.outputColumns != nil, method == .get else { return nil }
    if let entries = json["entries"]?.array {
      return Self.table(entries, ["number", "method", "target", "status", "source", "why"])
    }
    if let rules = json.array, rules.allSatisfy({ $0["declaration"] != nil }) {
      return Self.table(rules, ["id", "seen", "used", "declaration"])
    }
    return nil
  }

  private static func table(_ rows: [JSONValue], _ names: [String]) -> String {
    var table = TextTable(
      columns: names.map { name in
        let isNumeric = ["number", "seen", "used", "status"].contains(name)
        return TextTable.Column(
          heading: name.uppercased(), isNumeric: isNumeric, minimumWidth: isNumeric ? nil : 10)
      })
    table.rows = rows.map { row in
      names.map { name in
        let value = row[name] ?? .null
        return TextTable.Cell(Printable.line(value.text ?? value.description))
      }
    }
    return table.text(width: Terminal.outputColumns, style: .output)
  }
}
