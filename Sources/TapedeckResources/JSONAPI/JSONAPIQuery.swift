internal import TapedeckMocking

/// The query parameters of JSON:API 1.1 §8.
struct JSONAPIQuery {
  /// Nil where the request has none.
  private(set) var include: [String]?
  private(set) var fields: [String: Set<String>] = [:]
  private(set) var sort: [ResourceSelection.Sort] = []
  private(set) var page: [(name: String, value: String)] = []
  private(set) var filter: [(name: String, value: String)] = []

  /// Throws 400 for a parameter that is of none of these families, like `page`, and has none of these base names.
  init(
    _ request: Request, allowing families: Set<String>, beside parameters: Set<String>
  ) throws(ResourceProblem) {
    for item in request.queryParameters {
      let (base, key) = try Self.parts(item.name)
      func refused(_ detail: String) -> ResourceProblem {
        ResourceProblem(400, detail, parameter: item.name)
      }
      guard families.contains(base) else {
        if parameters.contains(base) { continue }
        throw refused("the parameter \(item.name.debugDescription) is unknown here")
      }
      guard (key == nil) == ["include", "sort"].contains(base) else {
        throw refused(key == nil ? "\(base) needs a name in brackets" : "\(base) takes no brackets")
      }
      take(base, key ?? "", item.value ?? "")
    }
  }

  private mutating func take(_ family: String, _ key: String, _ value: String) {
    let list = value.split(separator: ",").map(String.init)
    switch family {
    case "include": include = (include ?? []) + list
    case "fields": fields[key, default: []].formUnion(list)
    case "page": page.append((key, value))
    case "filter": filter.append((key, value))
    default:
      sort += ResourceSelection.fields(value) {
        $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
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
