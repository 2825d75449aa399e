internal import TapedeckHTTP

/// What an overrides file declares, read and checked: `{"routes": […], "resources": […], "patches": […],
/// "faults": […]}`, each of which may be missing.
package struct OverridesDocument: Sendable {
  private(set) var routes: [RouteRule] = []
  private(set) var resources: [ResourceRule] = []
  private(set) var patches: [PatchRule] = []
  private(set) var faults: [FaultRule] = []
  /// What is wrong with it; of each rule the first thing.
  private(set) var problems: [OverrideProblem] = []

  /// - Parameter files: `nil` where rules may name no files.
  init(_ json: JSONValue, files: RuleFiles?) {
    do throws(OverrideProblem) {
      var reader = try RuleReader(json, at: "")
      _ = reader.value("$schema")
      routes = try rules(RouteRule.init, .routes, &reader, files)
      resources = try rules(ResourceRule.init, .resources, &reader, files)
      patches = try rules(PatchRule.init, .patches, &reader, files)
      faults = try rules(FaultRule.init, .faults, &reader, files)
      problems += ResourceList.problems(of: resources)
      try reader.finish()
    } catch {
      problems.append(error)
    }
  }

  private var counts: [(kind: OverrideKind, count: Int)] {
    [
      (.routes, routes.count), (.resources, resources.count), (.patches, patches.count),
      (.faults, faults.count),
    ]
  }

  var ruleCount: Int { counts.reduce(0) { $0 + $1.count } }

  /// In words: `3 routes, 1 patch`.
  package var summary: String {
    let words = counts.filter { $0.count > 0 }.map { kind, count in
      "\(count) \(count == 1 ? kind.word : kind.rawValue)"
    }
    return words.isEmpty ? "no rules" : words.joined(separator: ", ")
  }

  private mutating func rules<R>(
    _ read: (RuleDeclaration) throws(OverrideProblem) -> R, _ kind: OverrideKind, _ reader: inout RuleReader,
    _ files: RuleFiles?
  ) throws(OverrideProblem) -> [R] {
    var ids: Set<String> = []
    var rules: [R] = []
    for (index, json) in (try reader.list(kind.rawValue) ?? []).enumerated() {
      let place = "\(kind.rawValue)[\(index)]"
      do throws(OverrideProblem) {
        let id = try Self.id(json, at: place, otherwise: "\(kind.word)-\(index + 1)")
        guard ids.insert(id).inserted else {
          throw OverrideProblem("\(place).id", "\(id) is taken; ids are unique among \(kind.rawValue)")
        }
        rules.append(try read(RuleDeclaration(json: json, id: id, place: place, files: files)))
      } catch {
        problems.append(error)
      }
    }
    return rules
  }

  private static func id(
    _ json: JSONValue, at place: String, otherwise number: String
  ) throws(OverrideProblem) -> String {
    do throws(OverrideProblem) { return try Overrides.id(json["id"]?.text ?? number) } catch {
      throw OverrideProblem("\(place).id", error.text)
    }
  }
}
