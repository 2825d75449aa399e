internal import TapedeckMocking

/// The query parameters of JSON:API (JSON:API 1.1 §8).
struct JSONAPIQuery {
  enum Family: String {
    case include, fields, sort, page, filter
  }

  /// Nil where the request has none.
  private(set) var include: [String]?
  private(set) var fields: [String: Set<String>] = [:]
  private(set) var sort: [ResourceSelection.Sort] = []
  private(set) var page: [(name: String, value: String)] = []
  private(set) var filter: [(name: String, value: String)] = []

  /// Throws 400 for a parameter that is unknown, or not allowed here.
  init(
    _ request: Request, allowing families: Set<Family>, beside parameters: Set<String>
  ) throws(ResourceProblem) {
    for item in request.queryParameters {
      let (base, key) = try Self.parts(item.name)
      guard let family = Family(rawValue: base), families.contains(family) else {
        if parameters.contains(base) { continue }
        throw ResourceProblem(
          400, "the parameter \(item.name.debugDescription) is unknown here", parameter: item.name)
      }
      guard (key == nil) == (family == .include || family == .sort) else {
        throw ResourceProblem(
          400, key == nil ? "\(base) needs a name in brackets" : "\(base) takes no brackets",
          parameter: item.name)
      }
      take(family, key ?? "", item.value ?? "")
    }
  }

  private mutating func take(_ family: Family, _ key: String, _ value: String) {
    let list = value.split(separator: ",").map(String.init)
    switch family {
    case .include: include = (include ?? []) + list
    case .fields: fields[key, default: []].formUnion(list)
    case .page: page.append((key, value))
    case .filter: filter.append((key, value))
    case .sort:
      sort += list.map { text in
        let field = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let path = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return ResourceSelection.Sort(
          path: path, isDescending: text.hasPrefix("-"), text: String(field))
      }
    }
  }

  /// `page[size]` as `page` and `size`; a name without brackets alone.
  private static func parts(_ name: String) throws(ResourceProblem) -> (base: String, key: String?) {
    guard let open = name.firstIndex(of: "[") else { return (name, nil) }
    let key = name[name.index(after: open)...].dropLast()
    guard name.hasSuffix("]"), !key.contains("["), !key.contains("]") else {
      throw ResourceProblem(
        400, "\(name.debugDescription) is not a valid parameter name", parameter: name)
    }
    return (String(name[..<open]), String(key))
  }
}
