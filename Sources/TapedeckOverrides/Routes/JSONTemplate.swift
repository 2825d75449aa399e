internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON whose strings may be templates. A string that is exactly one `{{name}}` becomes the value itself: a number stays
/// a number, and what is not there is null.
indirect enum JSONTemplate: Sendable {
  case constant(JSONValue)
  case value([String])
  case text(Template)
  case array([JSONTemplate])
  case object([(name: JSONString, value: JSONTemplate)])

  init(_ json: JSONValue, _ templates: RuleTemplates, at place: String) throws(OverrideProblem) {
    switch json {
    case .string(let string):
      guard let template = try templates.template(string.text, at: place) else {
        self = .constant(json)
        return
      }
      self = template.loneName.map { .value($0) } ?? .text(template)
    case .array(let items):
      var inner: [JSONTemplate] = []
      for (index, item) in items.enumerated() {
        inner.append(try JSONTemplate(item, templates, at: "\(place)[\(index)]"))
      }
      self = inner.allSatisfy(\.isConstant) ? .constant(json) : .array(inner)
    case .object(let members):
      var inner: [(JSONString, JSONTemplate)] = []
      for member in members {
        let place = "\(place).\(member.name.text)"
        inner.append((member.name, try JSONTemplate(member.value, templates, at: place)))
      }
      self = inner.allSatisfy(\.1.isConstant) ? .constant(json) : .object(inner)
    case .null, .bool, .number: self = .constant(json)
    }
  }

  private var isConstant: Bool {
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
