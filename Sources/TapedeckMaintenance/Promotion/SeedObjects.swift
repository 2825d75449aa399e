import TapedeckHTTP

/// The objects of a collection as they were before the session changed anything, so that the same session can run again:
/// what it deleted is there, what it created is not.
struct SeedObjects {
  private(set) var objects: [JSONValue] = []
  private(set) var notes: [String] = []

  init(
    _ base: CollectionEvidence, _ session: PromotedSession, lists: [CollectionEvidence.List],
    queries: ListQueries, parameters: [PathParameter]
  ) {
    let sightings = session.sightings[base.pattern] ?? []
    let made = Dictionary(base.creates.compactMap { seen in seen.object.map { ($0.id, seen.index) } }) {
      min($0, $1)
    }
    let changes = Self.changes(session)
    var versions: [String: JSONValue] = [:]
    var late: Set<String> = []
    var scopes: [String: [String]] = [:]
    for sighting in sightings {
      let (id, index) = (sighting.object.id, sighting.index)
      if let birth = made[id], birth <= index, versions[id] == nil { continue }
      if sighting.parameters.count == parameters.count { scopes[id] = scopes[id] ?? sighting.parameters }
      let isChanged = changes[id].map { $0 <= index } ?? false
      guard let version = versions[id] else {
        versions[id] = sighting.object.value
        if isChanged { late.insert(id) }
        continue
      }
      if !isChanged { versions[id] = Self.completed(version, by: sighting.object.value) }
    }
    let idMember = session.kinds[base.pattern]?.idMember ?? "id"
    var stubs: [String] = []
    for delete in base.deletes where versions[delete.id] == nil && made[delete.id] == nil {
      let isNumber = versions.values.contains { $0[idMember]?.int != nil }
      versions[delete.id] = .object([
        JSONMember(
          JSONString(idMember),
          isNumber ? Int(delete.id).map { JSONValue($0) } ?? JSONValue(delete.id) : JSONValue(delete.id))
      ])
      scopes[delete.id] = delete.seen.parameters
      stubs.append(delete.id)
    }
    let order = Self.order(lists, session, queries, idMember) + sightings.map(\.object.id) + stubs
    var placed: Set<String> = []
    for id in order where placed.insert(id).inserted {
      guard var object = versions[id] else { continue }
      for (parameter, value) in zip(parameters, scopes[id] ?? []) where parameter.isHidden {
        object = .object((object.members ?? []) + [JSONMember(JSONString(parameter.name), JSONValue(value))])
      }
      objects.append(object)
    }
    addNotes(late: late.count, stubs: stubs.count)
  }

  private mutating func addNotes(late: Int, stubs: Int) {
    if late > 0 {
      notes.append("\(late) of its objects were first seen when they were changed, and begin so")
    }
    if stubs > 0 {
      notes.append("\(stubs) of its objects were deleted and never seen: nothing but their id is known")
    }
  }

  /// The first exchange that changed each object.
  private static func changes(_ session: PromotedSession) -> [String: Int] {
    var changes: [String: Int] = [:]
    for (index, exchange) in session.exchanges.enumerated()
    where exchange.isGood && exchange.method != .get && exchange.method != .head {
      for segment in exchange.path where changes[segment] == nil { changes[segment] = index }
    }
    return changes
  }

  /// A list may tell less of an object than its own page.
  private static func completed(_ object: JSONValue, by other: JSONValue) -> JSONValue {
    let names = object.names
    let more = (other.members ?? []).filter { !names.contains($0.name.text) }
    return more.isEmpty ? object : .object((object.members ?? []) + more)
  }

  private static func order(
    _ lists: [CollectionEvidence.List], _ session: PromotedSession, _ queries: ListQueries, _ idMember: String
  ) -> [String] {
    let sorted = lists.enumerated().sorted { left, right in
      func rank(_ list: CollectionEvidence.List) -> Int {
        let query = session.exchanges[list.index].query
        return query.isEmpty
          ? 0 : query.contains { $0.name == "sort" } || !queries.isUnderstood(query) ? 2 : 1
      }
      return (rank(left.element), left.offset) < (rank(right.element), right.offset)
    }
    return sorted.flatMap { $0.element.items.compactMap { $0[idMember]?.idText } }
  }
}
