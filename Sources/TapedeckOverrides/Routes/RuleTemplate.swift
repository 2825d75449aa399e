internal import TapedeckHTTP
internal import TapedeckMocking

/// Reads the templates of a rule: texts with `{{`, in Mustache's language. Names that no request could have are found
/// here, and not when the first client gets an answer with holes.
struct RuleTemplates {
  /// Whether `"template": false` has switched them off.
  let areOn: Bool
  /// Of the rule, whose holes are the components.
  let path: PathPattern

  /// Nil where the text is none.
  func template(
    _ text: String, at place: String, escaping: Template.Escaping = .none
  ) throws(OverrideProblem) -> Template? {
    guard areOn, text.contains("{{") else { return nil }
    let template: Template
    do throws(TemplateError) { template = try Template(text, escaping: escaping) } catch {
      throw OverrideProblem(place, "\(error.problem); \(Self.advice)")
    }
    for name in template.outerNames { try check(name, at: place) }
    return template
  }

  private static let advice = #"where {{ is meant as it stands, say "template": false"#

  private func check(_ name: [String], at place: String) throws(OverrideProblem) {
    let text = "{{\(name.isEmpty ? "." : name.joined(separator: "."))}}"
    guard let first = name.first, RequestValues.names.contains(first) else {
      let nearest = name.first.flatMap { NearestWord.to($0, among: RequestValues.names) }
      let hint =
        nearest.map { "did you mean \($0)?" } ?? "known are \(RequestValues.names.joined(separator: ", "))"
      throw OverrideProblem(place, "\(text) names nothing of a request; \(hint) Or \(Self.advice)")
    }
    guard first == "components", name.count > 1 else { return }
    let known = path.names
    guard !known.contains(name.dropFirst().joined(separator: ".")) else { return }
    let holes = known.isEmpty ? "has no holes" : "has \(known.map { "{\($0)}" }.joined(separator: ", "))"
    throw OverrideProblem(place, "\(text): the path \(holes)")
  }
}

extension PathPattern {
  /// Of its holes, in order.
  fileprivate var names: [String] {
    segments.compactMap { segment in
      switch segment {
      case .literal: nil
      case .parameter(let name), .rest(let name): name
      }
    }
  }
}
