internal import TapedeckHTTP
internal import TapedeckMocking

/// Filters and sorts the resources of a collection.
struct ResourceSelection {
  typealias Filter = @Sendable (StoredResource, String) -> Bool
  /// A field, or a field of a related resource, `author.name`, and its name in the request.
  typealias Sort = (path: [String], isDescending: Bool, text: String)

  /// One, or several where a polymorphic relationship is followed.
  let types: [any ResourceType]
  /// Filters by name, which take precedence over fields.
  var filters: [String: Filter] = [:]
  let view: Store

  /// The resources that pass all filters: one of the values of an attribute, one of the ids of a relationship (an empty
  /// value means that it leads nowhere), or `id`.
  func filtered(
    _ all: [StoredResource], _ wanted: [(name: String, value: String)]
  ) throws(ResourceProblem) -> [StoredResource] {
    var rest = all
    for (name, value) in wanted {
      let values = value.split(separator: ",").map(String.init)
      if let custom = filters[name] {
        rest = rest.filter { custom($0, value) }
      } else if name == "id" {
        rest = rest.filter { values.contains($0.id) }
      } else if types.contains(where: { $0.relationship(name) != nil }) {
        rest = rest.filter { resource in
          let related = resource.related[name] ?? []
          return values.isEmpty ? related.isEmpty : related.contains { values.contains($0.id) }
        }
      } else {
        try check(attribute: name, of: types, all, parameter: "filter[\(name)]")
        rest = rest.filter { Self.matches($0.attribute(name), value, values) }
      }
    }
    return rest
  }

  private static func matches(_ value: JSONValue?, _ text: String, _ wanted: [String]) -> Bool {
    switch value {
    case nil, .null?: text.isEmpty || wanted.contains("null")
    case .string(let string)?: string.text == text || wanted.contains(string.text)
    case .array(let items)?: items.contains { matches($0, text, wanted) }
    case .some(let value): wanted.contains(value.description)
    }
  }

  private func check(
    attribute name: String, of types: [any ResourceType], _ all: [StoredResource], parameter: String
  ) throws(ResourceProblem) {
    if types.contains(where: { $0.attributeNames.contains(name) })
      || all.contains(where: { $0.attribute(name) != nil })
    {
      return
    }
    let known = types.flatMap { $0.attributeNames.sorted() + $0.relationships.map(\.name) }
    throw ResourceProblem(
      400, "\(types.named) has no field \(name.debugDescription); there are \(known.joined(separator: ", "))",
      parameter: parameter)
  }

  // MARK: Sorting

  /// Reads the fields of a query like `-views,title`.
  static func fields(_ text: String, _ path: (String) -> [String]) -> [Sort] {
    text.split(separator: ",").map { field in
      let isDescending = field.hasPrefix("-")
      let name = String(isDescending ? field.dropFirst() : field)
      return (path(name), isDescending, name)
    }
  }

  /// Sorts stably by several fields.
  func sorted(_ all: [StoredResource], _ fields: [Sort]) throws -> [StoredResource] {
    guard !fields.isEmpty else { return all }
    for field in fields { try check(field, field.path[...], types, all) }
    let keyed = try all.map { resource in
      (resource: resource, keys: try fields.map { Self.key(try value(of: resource, $0.path[...])) })
    }
    return keyed.sortedStably { left, right in
      for (index, field) in fields.enumerated() where left.keys[index] != right.keys[index] {
        return (left.keys[index] < right.keys[index]) != field.isDescending
      }
      return false
    }.map(\.resource)
  }

  /// Orders values: null, false, true, numbers, texts by their code points, all else.
  private static func key(_ value: JSONValue?) -> (rank: Int, number: Double, text: String) {
    switch value {
    case nil, .null?: (0, 0, "")
    case .bool(let value)?: (1, value ? 1 : 0, "")
    case .number(let number)?: (2, number.double ?? .greatestFiniteMagnitude, "")
    case .string(let string)?: (3, 0, string.text)
    case .some(let value): (4, 0, value.description)
    }
  }

  private func check(
    _ field: Sort, _ path: ArraySlice<String>, _ types: [any ResourceType], _ all: [StoredResource]
  ) throws(ResourceProblem) {
    guard let name = path.first else { return }
    if path.count > 1 {
      let relationships = types.compactMap { $0.relationship(name) }
      guard !relationships.isEmpty, !relationships.contains(where: { $0.isToMany }) else {
        throw ResourceProblem(
          400, "\(field.text.debugDescription) is no path of to-one relationships", parameter: "sort")
      }
      return try check(field, path.dropFirst(), relationships.flatMap { $0.targets }, [])
    }
    if name == "id" || types.contains(where: { $0.idMember == name }) { return }
    try check(attribute: name, of: types, all, parameter: "sort")
  }

  private func value(
    of resource: StoredResource, _ path: ArraySlice<String>
  ) throws(SerializationError) -> JSONValue? {
    guard let name = path.first else { return nil }
    if path.count == 1 {
      guard name == "id" || name == resource.type.idMember else { return resource.attribute(name) }
      return resource.members.first { $0.name.isEqual(to: resource.type.idMember.utf8) }?.value
    }
    guard let relationship = resource.type.relationship(name), let first = resource.related[name]?.first,
      let next = try relationship.find(first, in: view)
    else { return nil }
    return try value(of: next, path.dropFirst())
  }
}
