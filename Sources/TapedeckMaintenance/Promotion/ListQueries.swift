import TapedeckFormats
import TapedeckHTTP

/// Interprets the queries of recorded lists.
struct ListQueries {
  private(set) var number: String?
  private var size: String?
  private var offset: String?
  /// Names of items that concern neither pages nor order, and are not names of members.
  private(set) var unknown: Set<String> = []
  /// The size of a page that is requested without a size.
  private var standardSize: Int?

  private static let numbers: Set<String> = ["page", "_page", "p", "pageNumber", "page_number"]
  private static let sizes: Set<String> = [
    "per_page", "limit", "_limit", "size", "page_size", "pageSize", "count", "perPage",
  ]
  private static let offsets: Set<String> = ["offset", "skip", "start", "_start"]

  init(_ lists: [CollectionEvidence.Seen], members: Set<String>) {
    for list in lists {
      let query = list.exchange.query
      for (name, value) in query {
        let isNumber = Int(value) != nil
        if isNumber, Self.numbers.contains(name) {
          take(name, as: \.number)
        } else if isNumber, Self.sizes.contains(name) {
          take(name, as: \.size)
        } else if isNumber, Self.offsets.contains(name) {
          take(name, as: \.offset)
        } else if name == "sort" {
          let fields = value.split(separator: ",").map { String($0.hasPrefix("-") ? $0.dropFirst() : $0) }
          if !fields.allSatisfy(members.contains) { unknown.insert(name) }
        } else if !members.contains(name), name != "ids[]" {
          unknown.insert(name)
        }
      }
      let names = query.map(\.name)
      if let number, names.contains(number), size.map({ !names.contains($0) }) ?? true {
        standardSize = max(standardSize ?? 0, list.items.count)
      }
    }
  }

  private mutating func take(_ name: String, as field: WritableKeyPath<Self, String?>) {
    if (self[keyPath: field] ?? name) == name {
      self[keyPath: field] = name
    } else {
      unknown.insert(name)
    }
  }

  func isUnderstood(_ query: [(name: String, value: String)]) -> Bool {
    query.allSatisfy { !unknown.contains($0.name) }
  }

  /// The member `pages` of a declaration.
  /// - Parameter first: how many objects a request without pages got, if these were not all.
  func declared(first: Int?) -> JSONValue? {
    func word(_ name: String?, unless usual: String) -> JSONValue? {
      name == usual ? JSONValue?.none : name.map { JSONValue($0) }
    }
    let length = (first ?? standardSize).flatMap { $0 > 0 && ($0 != 20 || first != nil) ? $0 : nil }
    return JSONValue.object(of: [
      "number": word(number, unless: "page"), "size": word(size, unless: "per_page"),
      "offset": word(offset, unless: ""), "standardSize": length.map { JSONValue($0) },
      "always": first.map { _ in true },
    ]).unlessEmpty
  }
}
