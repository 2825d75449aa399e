internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON whose strings may be templates. A string that is exactly one `{{name}}` becomes the value itself: a number stays
/// a number, and a missing value is null.
indirect enum JSONTemplate: Sendable {
  case constant(JSONValue)
  case value([String])
  case text(Template)
  case array([JSONTemplate])
  case object([(name: JSONString, value: JSONTemplate)])

  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }

  func rendered(_ values: RequestValues) -> JSONValue {
    switch self {
    case .constant(let json): json
    case .value(let name): values.value(name) ?? .null
    case .text(let template): JSONValue(template.rendered(values.value))
    case .array(let items): .array(items.map { $0.rendered(values) })
    case .object(let members): .object(members.map { JSONMember($0.name, $0.value.rendered(values)) })
    }
  }
}

/// Reads the templates of a rule: Mustache texts with `{{`. Unknown names are refused here, so that no client gets an
/// incomplete response.
struct RuleTemplates {
  /// False with `"template": false`.
  let areOn: Bool
  /// The path pattern of the rule, whose parameters are the components.
  let path: PathPattern

  private static let advice = #"if {{ is meant literally, add "template": false"#

  /// Returns `nil` for a text that is not a template.
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

  func json(_ json: JSONValue, at place: String) throws(OverrideProblem) -> JSONTemplate {
    switch json {
    case .string(let string):
      guard let template = try template(string.text, at: place) else { return .constant(json) }
      return template.loneName.map { .value($0) } ?? .text(template)
    case .array(let items):
      let inner = try items.read(at: place, self.json)
      return inner.allSatisfy(\.isConstant) ? .constant(json) : .array(inner)
    case .object(let members):
      var inner: [(name: JSONString, value: JSONTemplate)] = []
      for member in members {
        inner.append((member.name, try self.json(member.value, at: "\(place).\(member.name.text)")))
      }
      return inner.allSatisfy(\.value.isConstant) ? .constant(json) : .object(inner)
    case .null, .bool, .number: return .constant(json)
    }
  }

  private func check(_ name: [String], at place: String) throws(OverrideProblem) {
    let text = "{{\(name.isEmpty ? "." : name.joined(separator: "."))}}"
    guard let first = name.first, RequestValues.names.contains(first) else {
      let nearest = name.first.flatMap { $0.nearest(among: RequestValues.names) }
      let hint =
        nearest.map { "did you mean \($0)?" } ?? "known are \(RequestValues.names.joined(separator: ", "))"
      throw OverrideProblem(place, "\(text) names no part of a request; \(hint) Or \(Self.advice)")
    }
    guard first == "components", name.count > 1 else { return }
    let known = path.names
    guard !known.contains(name.dropFirst().joined(separator: ".")) else { return }
    let parameters =
      known.isEmpty ? "has no parameters" : "has \(known.map { "{\($0)}" }.joined(separator: ", "))"
    throw OverrideProblem(place, "\(text): the path \(parameters)")
  }
}

extension PathPattern {
  /// The names of its parameters and the wildcard, in order.
  fileprivate var names: [String] {
    segments.compactMap { segment in
      switch segment {
      case .literal: nil
      case .parameter(let name), .rest(let name): name
      }
    }
  }
}

/// The values that templates of a rule may name: `{{components.id}}`, `{{query.page}}`, `{{headers.x-mark}}`,
/// `{{body.user.name}}`, `{{form.name}}`, `{{method}}`, `{{path}}`.
struct RequestValues {
  static let names = ["components", "query", "headers", "body", "form", "method", "path"]

  let request: OverrideRequest
  /// The values of the path's parameters.
  let components: [String: String]

  /// The value of a name; `nil` if it has none.
  func value(_ name: [String]) -> JSONValue? {
    guard let first = name.first else { return nil }
    let rest = name.dropFirst()
    return switch first {
    case "components": Self.pick(rest, components.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    case "query": Self.pick(rest, request.query.map { ($0.name, $0.value ?? "") })
    case "form": Self.pick(rest, request.form.map { ($0.name, $0.value ?? "") })
    case "headers": header(rest)
    case "body": body(rest)
    case "method": rest.isEmpty ? JSONValue(request.http.method.rawValue) : nil
    case "path": rest.isEmpty ? JSONValue(String(decoding: request.http.path, as: UTF8.self)) : nil
    default: nil
    }
  }

  /// The first value of the name, which may contain dots; all values as an object if the name is empty.
  private static func pick(_ name: ArraySlice<String>, _ items: [(name: String, value: String)]) -> JSONValue?
  {
    guard name.isEmpty else {
      let name = name.joined(separator: ".")
      return items.first { $0.name == name }.map { JSONValue($0.value) }
    }
    var seen: Set<String> = []
    return .object(
      items.filter { seen.insert($0.name).inserted }.map {
        JSONMember(JSONString($0.name), JSONValue($0.value))
      })
  }

  private func header(_ name: ArraySlice<String>) -> JSONValue? {
    guard name.isEmpty else { return request.headers[name.joined(separator: ".")].map { JSONValue($0) } }
    return Self.pick(name, request.headers.map { ($0.name.lowercased(), $0.value) })
  }

  /// The value at a place in a JSON body, where numbers are indices of lists. Any other body is a single value.
  private func body(_ name: ArraySlice<String>) -> JSONValue? {
    guard let json = request.json else {
      return name.isEmpty && !request.http.body.isEmpty ? JSONValue(request.text) : nil
    }
    return name.reduce(json) { value, name in
      guard let items = value?.array else { return value?[name] }
      return Int(name).flatMap { items.indices.contains($0) ? items[$0] : nil }
    }
  }
}
