import TapedeckHTTP

extension CollectionWriter {
  /// The objects of the collection as they were before the session changed anything, so that the same session can run
  /// again: what it deleted is there, what it created is not.
  func makeSeeds() -> (objects: [JSONValue], notes: [String]) {
    let sightings = session.sightings[base.pattern] ?? []
    let made = Dictionary(
      base.creates.compactMap { seen in seen.object.map { ($0.id, seen.exchange.index) } }
    ) {
      min($0, $1)
    }
    var versions: [String: JSONValue] = [:]
    var late: Set<String> = []
    var scopes: [String: [String]] = [:]
    for (seen, object) in sightings {
      let (id, index) = (object.id, seen.exchange.index)
      if let birth = made[id], birth <= index, versions[id] == nil { continue }
      if seen.parameters.count == parameters.count { scopes[id] = scopes[id] ?? seen.parameters }
      let isChanged = session.changes[id].map { $0 <= index } ?? false
      guard let version = versions[id] else {
        versions[id] = object.value
        if isChanged { late.insert(id) }
        continue
      }
      if !isChanged { versions[id] = Self.completed(version, by: object.value) }
    }
    let isNumber = versions.values.contains { $0[idMember]?.int != nil }
    var stubs: [String] = []
    for delete in base.deletes {
      guard let id = delete.id, versions[id] == nil, made[id] == nil else { continue }
      let value = (isNumber ? Int(id) : nil).map { JSONValue($0) } ?? JSONValue(id)
      versions[id] = .object([JSONMember(JSONString(idMember), value)])
      scopes[id] = delete.parameters
      stubs.append(id)
    }
    var notes: [String] = []
    if !late.isEmpty {
      notes.append("\(late.count) of its objects were first seen when changed, and begin in that state")
    }
    if !stubs.isEmpty {
      notes.append("\(stubs.count) of its objects were deleted before they were seen: only ids are known")
    }
    var placed: Set<String> = []
    let objects = (listedIDs + sightings.map(\.object.id) + stubs).compactMap { id -> JSONValue? in
      guard placed.insert(id).inserted, let object = versions[id] else { return nil }
      let hidden = zip(parameters, scopes[id] ?? []).filter(\.0.isHidden).map { parameter, value in
        JSONMember(JSONString(parameter.name), JSONValue(value))
      }
      return hidden.isEmpty ? object : .object((object.members ?? []) + hidden)
    }
    return (objects, notes)
  }

  /// A list may show fewer members of an object than its own page.
  private static func completed(_ object: JSONValue, by other: JSONValue) -> JSONValue {
    let names = object.names
    let more = (other.members ?? []).filter { !names.contains($0.name.text) }
    return more.isEmpty ? object : .object((object.members ?? []) + more)
  }

  /// The ids in the order of the lists, whole ones first.
  private var listedIDs: [String] {
    func rank(_ query: [(name: String, value: String)]) -> Int {
      query.isEmpty ? 0 : query.contains { $0.name == "sort" } || !queries.isUnderstood(query) ? 2 : 1
    }
    return lists.enumerated().sorted {
      (rank($0.element.exchange.query), $0.offset) < (rank($1.element.exchange.query), $1.offset)
    }.flatMap { $0.element.items.compactMap { $0[idMember]?.idText } }
  }
}
