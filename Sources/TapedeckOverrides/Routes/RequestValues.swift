internal import TapedeckHTTP
internal import TapedeckMocking

/// What templates of a rule may name: `{{components.id}}`, `{{query.page}}`, `{{headers.x-mark}}`, `{{body.user.name}}`,
/// `{{form.name}}`, `{{method}}`, `{{path}}`.
struct RequestValues {
  static let names = ["components", "query", "headers", "body", "form", "method", "path"]

  let request: OverrideRequest
  /// What the holes of the rule's path caught.
  let components: [String: String]

  /// What stands under a name; nil where there is nothing.
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

  /// The first of that name, which may have dots in it; without one, all of them as an object.
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

  /// A place in a body of JSON, where numbers count the elements of lists; any other body has a whole only.
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
