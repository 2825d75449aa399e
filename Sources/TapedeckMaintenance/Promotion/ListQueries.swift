import TapedeckHTTP

/// The queries of recorded lists.
struct ListQueries {
  private(set) var number: String?
  private(set) var size: String?
  private(set) var offset: String?
  /// Names of items that are neither of pages, nor an order, nor a member's name.
  private(set) var unknown: Set<String> = []
  /// The size of a page that is requested by its number alone.
  private(set) var standardSize: Int?

  private static let numbers: Set<String> = ["page", "_page", "p", "pageNumber", "page_number"]
  private static let sizes: Set<String> = [
    "per_page", "limit", "_limit", "size", "page_size", "pageSize", "count", "perPage",
  ]
  private static let offsets: Set<String> = ["offset", "skip", "start", "_start"]

  init(_ lists: [(query: [(name: String, value: String)], count: Int)], members: Set<String>) {
    for (query, count) in lists {
      for (name, value) in query {
        if Self.numbers.contains(name), Int(value) != nil {
          Self.take(name, &number, &unknown)
        } else if Self.sizes.contains(name), Int(value) != nil {
          Self.take(name, &size, &unknown)
        } else if Self.offsets.contains(name), Int(value) != nil {
          Self.take(name, &offset, &unknown)
        } else if name == "sort" {
          let fields = value.split(separator: ",").map {
            $0.hasPrefix("-") ? String($0.dropFirst()) : String($0)
          }
          if !fields.allSatisfy(members.contains) { unknown.insert(name) }
        } else if !members.contains(name), name != "ids[]" {
          unknown.insert(name)
        }
      }
      let names = Set(query.map(\.name))
      if let number, names.contains(number), size.map({ !names.contains($0) }) ?? true {
        standardSize = max(standardSize ?? 0, count)
      }
    }
  }

  private static func take(_ name: String, _ known: inout String?, _ unknown: inout Set<String>) {
    if known == nil || known == name { known = name } else { unknown.insert(name) }
  }

  func isUnderstood(_ query: [(name: String, value: String)]) -> Bool {
    query.allSatisfy { !unknown.contains($0.name) }
  }

  func isWhole(_ query: [(name: String, value: String)]) -> Bool { query.allSatisfy { $0.name == "sort" } }

  /// The member `pages` of a declaration.
  /// - Parameter first: how many objects a request without pages got, if these were not all.
  func declared(first: Int?) -> JSONValue? {
    var members: [JSONMember] = []
    if let number, number != "page" { members.append(JSONMember("number", JSONValue(number))) }
    if let size, size != "per_page" { members.append(JSONMember("size", JSONValue(size))) }
    if let offset { members.append(JSONMember("offset", JSONValue(offset))) }
    if let size = first ?? standardSize, size > 0, size != 20 || first != nil {
      members.append(JSONMember("standardSize", JSONValue(size)))
    }
    if first != nil { members.append(JSONMember("always", true)) }
    return .object(unlessEmpty: members)
  }
}
