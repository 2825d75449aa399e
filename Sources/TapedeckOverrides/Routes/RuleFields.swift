internal import TapedeckHTTP
internal import TapedeckMocking

/// The header fields of a declared answer: `{"Retry-After": "1", "Set-Cookie": ["a=1", "b=2"]}`, in order.
struct RuleFields: Sendable {
  private enum Value: Sendable {
    case constant(String)
    case template(Template)
  }

  private let fields: [(name: String, value: Value)]

  init(_ reader: inout RuleReader, _ templates: RuleTemplates) throws(OverrideProblem) {
    guard var headers = try reader.object("headers") else {
      fields = []
      return
    }
    var fields: [(String, Value)] = []
    for name in headers.names {
      for value in try Self.texts(&headers, name) {
        let template = try templates.template(value, at: headers.place(of: name))
        var probe = HTTPFields()
        do { try probe.append(name, value) } catch {
          throw headers.problem(name, "\(error)")
        }
        fields.append((name, template.map { .template($0) } ?? .constant(value)))
      }
    }
    self.fields = fields
  }

  private static func texts(_ reader: inout RuleReader, _ name: String) throws(OverrideProblem) -> [String] {
    let value = reader.value(name)
    let items = value?.array ?? value.map { [$0] } ?? []
    let texts = items.compactMap(\.text)
    guard texts.count == items.count else { throw reader.problem(name, "must be a text, or a list of texts") }
    return texts
  }

  /// Whether they are the same for every request.
  var areConstant: Bool {
    fields.allSatisfy { field in
      if case .constant = field.value { true } else { false }
    }
  }

  /// Puts them in the place of those that have their names.
  func apply(to head: inout HTTPResponseHead, _ values: RequestValues) {
    head.fields.removeAll { known in
      let name = String(decoding: known.name, as: UTF8.self).lowercased()
      return fields.contains { $0.name.lowercased() == name }
    }
    for (name, value) in fields {
      let text =
        switch value {
        case .constant(let text): text
        case .template(let template): template.rendered(values.value)
        }
      // Names were checked; what a client sent could hold the end of a line.
      try? head.fields.append(name: Array(name.utf8), value: text.utf8.map(Self.harmless))
    }
  }

  private static func harmless(_ byte: UInt8) -> UInt8 {
    byte >= 0x20 && byte != 0x7F || byte == 0x09 ? byte : 0x20
  }
}
