package import TapedeckHTTP

/// The content of an overrides file, read and checked: `{"routes": […], "resources": […], "patches": […],
/// "faults": […]}`, where each member is optional.
package struct OverridesDocument: Sendable {
  private(set) var routes = RuleTable<RequestRule<RouteEffect>>()
  private(set) var resources = RuleTable<ResourceRule>()
  private(set) var patches = RuleTable<RequestRule<Patch>>()
  private(set) var faults = RuleTable<RequestRule<Fault>>()
  /// As it was written.
  package let json: JSONValue
  /// The first problem of each rule.
  private(set) var problems: [OverrideProblem] = []

  /// - Parameter file: `nil` if rules may not name files.
  init(_ json: JSONValue, file: OverridesFile?) {
    self.json = json
    do throws(OverrideProblem) {
      var reader = try RuleReader(json, at: "")
      _ = reader.value("$schema")
      routes = try rules(&reader, file)
      resources = try rules(&reader, file)
      patches = try rules(&reader, file)
      faults = try rules(&reader, file)
      let catalog = resources.index.catalog
      problems += resources.entries.compactMap { $0.rule.problem(in: catalog) }
      try reader.finish()
    } catch {
      problems.append(error)
    }
  }

  private var counts: [(kind: OverrideKind, count: Int)] {
    [
      (.routes, routes.entries.count), (.resources, resources.entries.count),
      (.patches, patches.entries.count), (.faults, faults.entries.count),
    ]
  }

  var ruleCount: Int { counts.reduce(0) { $0 + $1.count } }

  /// For people, like `3 routes, 1 patch`.
  package var summary: String {
    let words = counts.filter { $0.count > 0 }.map { kind, count in
      "\(count) \(count == 1 ? kind.word : kind.rawValue)"
    }
    return words.isEmpty ? "no rules" : words.joined(separator: ", ")
  }

  private mutating func rules<Rule: OverrideRule>(
    _ reader: inout RuleReader, _ file: OverridesFile?
  ) throws(OverrideProblem) -> RuleTable<Rule> {
    let kind = Rule.kind
    var ids: Set<String> = []
    var rules: [Rule] = []
    for (index, json) in (try reader.list(kind.rawValue) ?? []).enumerated() {
      let place = "\(kind.rawValue)[\(index)]"
      do throws(OverrideProblem) {
        let given = json["id"]?.text ?? "\(kind.word)-\(index + 1)"
        let id = try Overrides.id(given, at: "\(place).id")
        guard ids.insert(id).inserted else {
          throw OverrideProblem("\(place).id", "\(id) is taken; ids are unique among \(kind.rawValue)")
        }
        rules.append(try Rule(RuleDeclaration(json: json, id: id, place: place, file: file)))
      } catch {
        problems.append(error)
      }
    }
    return RuleTable(ofFile: rules)
  }
}

/// The result of checking an overrides file.
package struct OverridesCheck: Sendable {
  /// A mistake in the file; lines and columns count from 1.
  package struct Problem: Sendable, Equatable {
    package let line: Int
    package let column: Int
    package let text: String
  }

  /// The first problem of each rule.
  package let problems: [Problem]
  /// The number of valid rules.
  package let ruleCount: Int

  package init(_ bytes: [UInt8], of file: OverridesFile) {
    do {
      let document = OverridesDocument(try JSONValue(parsing: bytes), file: file)
      problems = document.problems.map { Problem($0, in: bytes) }
      ruleCount = document.ruleCount
    } catch {
      problems = [Problem(error)]
      ruleCount = 0
    }
  }

  /// Whether bytes are an overrides file, valid or not, and nothing else.
  package static func isOverrides(_ bytes: [UInt8]) -> Bool {
    guard let json = try? JSONValue(parsing: bytes) else { return false }
    let kinds = OverrideKind.allCases.map(\.rawValue)
    return (json.members ?? []).contains { $0.name.text.nearest(among: kinds) != nil }
  }
}

extension OverridesCheck.Problem {
  init(_ problem: OverrideProblem, in bytes: [UInt8]) {
    let position = JSONPosition(of: problem.place, in: bytes)
    self.init(line: position.line, column: position.column, text: "\(problem)")
  }

  init(_ error: JSONError) {
    let advice = error.reason == .unexpectedByte(UInt8(ascii: "/")) ? "; JSON has no comments" : ""
    self.init(line: error.line, column: error.column, text: "not JSON: \(error.reason)\(advice)")
  }

  func error(in file: String, others: Int = 0) -> OverridesFileError {
    let rest = others == 0 ? "" : " (and \(others) more: tapedeck lint \(file) tells all)"
    return .invalid(place: "\(file):\(line):\(column)", problem: text + rest)
  }
}
