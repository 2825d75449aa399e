import TapedeckHTTP

/// Declares a collection of its own.
struct CollectionWriter {
  private let base: CollectionEvidence
  private let session: PromotedSession
  private let id: String
  private let lists: [CollectionEvidence.List]
  private let kind: ObjectKinds.Kind?
  private let parameters: [PathParameter]
  private let queries: ListQueries
  private let seeds: SeedObjects

  init(_ base: CollectionEvidence, _ session: PromotedSession, id: String) {
    self.base = base
    self.session = session
    self.id = id
    kind = session.kinds[base.pattern]
    let others = session.aliases.filter { $0.value == base.pattern }.keys.sorted()
    lists = (base.lists + others.flatMap { session.evidence[$0]?.lists ?? [] }).sorted { $0.index < $1.index }
    let names = kind?.names ?? []
    queries = ListQueries(lists.map { (session.exchanges[$0.index].query, $0.items.count) }, members: names)
    let sightings = session.sightings[base.pattern] ?? []
    parameters = PathParameter.all(
      in: base.pattern, sightings.map { ($0.parameters, $0.object.value) }, names)
    seeds = SeedObjects(base, session, lists: lists, queries: queries, parameters: parameters)
  }

  private var made: CreatedObjects {
    CreatedObjects(
      all: base.creates.compactMap { seen in
        seen.object.map {
          .init(sent: session.exchanges[seen.index].sent, object: $0, parentID: seen.parameters.last)
        }
      }, scope: Set(parameters.map(\.name)))
  }

  var resource: PromotedResource {
    let made = made
    let path = PathParameter.filled(base.pattern, parameters)
    let idMember = kind?.idMember ?? "id"
    let members = JSONValue.members([
      "id": JSONValue(id), "path": JSONValue(path),
      "idMember": idMember == "id" ? JSONValue?.none : JSONValue(idMember),
      "except": keepsList ? ["index"] : JSONValue?.none, "lists": .array(unlessEmpty: otherLists),
      "hidden": .array(unlessEmpty: parameters.filter(\.isHidden).map { JSONValue($0.name) }),
      "newest": newest, "nextIDs": .array(unlessEmpty: made.ids),
      "defaults": .object(unlessEmpty: made.defaults), "pages": queries.declared(first: firstPage),
      "passes": .array(unlessEmpty: queries.unknown.sorted().map { JSONValue($0) }), "envelope": envelope,
      "put": mergesPut ? "merge" : JSONValue?.none, "answers": responses,
      "seed": .array(unlessEmpty: seeds.objects),
    ])
    return PromotedResource(
      id: id, path: path, declaration: .object(members), confidence: confidence,
      seen: ActionCounts.text(actions), assumed: assumed, notes: notes(made),
      objectCount: seeds.objects.count, needs: [])
  }

  // MARK: Lists

  /// Whether the list stays with the cassette, since no list was found in the responses.
  private var keepsList: Bool { lists.isEmpty && session.unread.contains(base.pattern) }

  private var otherLists: [JSONValue] {
    let others = session.aliases.filter { $0.value == base.pattern }.keys.sorted()
    return others.map { pattern in
      let evidence = session.evidence[pattern]?.lists ?? []
      let samples = evidence.flatMap { list in list.items.map { (list.parameters, $0) } }
      let parameters = PathParameter.all(in: pattern, samples, kind?.names ?? []).map {
        $0.isHidden ? $0.ignored : $0
      }
      return JSONValue(PathParameter.filled(pattern, parameters))
    }
  }

  /// `first` where a later list begins with a created object.
  private var newest: JSONValue? {
    for create in base.creates {
      guard let id = create.object?.id else { continue }
      for list in lists where list.index > create.index && list.items.count > 1 {
        let query = session.exchanges[list.index].query
        guard !query.contains(where: { $0.name == "sort" }) else { continue }
        guard let place = list.items.firstIndex(where: { $0[kind?.idMember ?? "id"]?.idText == id }) else {
          continue
        }
        return place == 0 ? "first" : JSONValue?.none
      }
    }
    return nil
  }

  /// How many objects a request without pages got, where there are more.
  private var firstPage: Int? {
    let bare = lists.first {
      session.exchanges[$0.index].query.isEmpty && $0.parameters == base.lists.first?.parameters
    }
    guard let bare, bare.items.count > 0, let response = session.exchanges[bare.index].response else {
      return nil
    }
    let total = ["total", "total_count", "totalCount", "count"].compactMap { response[$0]?.int }.max()
    let known = max(total ?? 0, parameters.isEmpty && queries.number != nil ? seeds.objects.count : 0)
    return known > bare.items.count ? bare.items.count : nil
  }

  private var envelope: JSONValue? {
    var members: [JSONMember] = []
    let list = lists.first { queries.isUnderstood(session.exchanges[$0.index].query) } ?? lists.first
    if let list, let response = session.exchanges[list.index].response,
      let envelope = ResponseTemplates.list(
        list, in: response, among: lists.compactMap { session.exchanges[$0.index].response },
        number: queries.number ?? "page", total: seeds.objects.count)
    {
      members.append(JSONMember("list", envelope))
    }
    if let (path, index) = itemEnvelope, !path.isEmpty, let response = session.exchanges[index].response {
      members.append(JSONMember("item", ResponseTemplates.replacing(path, in: response, with: "item")))
    }
    return .object(unlessEmpty: members)
  }

  private var itemEnvelope: (path: [String], index: Int)? {
    let first = base.shows.first { $0.object != nil } ?? base.creates.first { $0.object != nil }
    return first.flatMap { seen in seen.object.map { ($0.envelope, seen.index) } }
  }

  // MARK: Changes

  /// Whether a PUT kept members that its body does not have.
  private var mergesPut: Bool {
    base.updates.contains { seen in
      let exchange = session.exchanges[seen.index]
      guard exchange.method == .put, let sent = exchange.sent, let object = seen.object else { return false }
      return !object.value.names.subtracting(sent.names).subtracting([object.idMember]).isEmpty
    }
  }

  private var responses: JSONValue? {
    .object(
      unlessEmpty: JSONValue.members([
        "create": base.creates.first.flatMap {
          ResponseTemplates.action(status($0), usual: 201, body: body($0))
        },
        "update": base.updates.first.flatMap {
          ResponseTemplates.action(status($0), usual: 200, body: body($0))
        },
        "delete": base.deletes.first.flatMap { delete in
          let response = session.exchanges[delete.seen.index].response
          let body =
            delete.seen.object?.id == delete.id
            ? "{{item}}" : response.map { ResponseTemplates.replacing(id: delete.id, in: $0) }
          return ResponseTemplates.action(status(delete.seen), usual: 204, body: body)
        },
        "missing": missing,
      ]))
  }

  private var missing: JSONValue? {
    let first = base.missing.first { session.exchanges[$0.index].response?.members != nil }
    guard let (index, id) = first, let response = session.exchanges[index].response else { return nil }
    let body = ResponseTemplates.replacing(id: id, in: response)
    return ResponseTemplates.action(session.exchanges[index].status, usual: 404, body: body)
  }

  private func status(_ seen: CollectionEvidence.Seen) -> Int { session.exchanges[seen.index].status }

  /// The template of a response; nil where it is the object as other responses have it.
  private func body(_ seen: CollectionEvidence.Seen) -> JSONValue? {
    guard let response = session.exchanges[seen.index].response else { return nil }
    guard let object = seen.object else {
      let id = session.exchanges[seen.index].path.last ?? ""
      return ResponseTemplates.replacing(id: id, in: response)
    }
    let sent = session.exchanges[seen.index].sent?.names ?? []
    let names = object.value.names
    if object.envelope.isEmpty, sent.isDisjoint(with: names), !sent.isEmpty || names.count < 3,
      names.count < (kind?.names.count ?? 0)
    {
      return ResponseTemplates.replacing(id: object.id, in: response)
    }
    if object.envelope == itemEnvelope?.path ?? [] { return nil }
    return ResponseTemplates.replacing(object.envelope, in: response, with: "item")
  }

  // MARK: Confidence

  private var confidence: Double {
    var sum = 0.0
    if !lists.isEmpty { sum += 0.3 }
    if !base.shows.isEmpty { sum += 0.25 }
    if !base.creates.isEmpty { sum += 0.25 }
    if !base.updates.isEmpty { sum += 0.1 }
    if !base.deletes.isEmpty { sum += 0.1 }
    let listed = Set(lists.flatMap { ObjectFinder.objects(in: $0.items).map(\.id) })
    let known = Set((base.shows + base.creates).compactMap { $0.object?.id })
    if !listed.isDisjoint(with: known) { sum += 0.15 }
    return min(sum, 1)
  }

  private var actions: [(name: String, count: Int)] {
    [
      ("list", lists.count), ("show", base.shows.count), ("create", base.creates.count),
      ("update", base.updates.count), ("delete", base.deletes.count),
    ]
  }

  private var assumed: [String] { actions.filter { $0.1 == 0 && !(keepsList && $0.0 == "list") }.map(\.0) }

  private func notes(_ made: CreatedObjects) -> [String] {
    var notes = seeds.notes
    if keepsList {
      notes.append(
        "its list stays with the cassette and does not change: no list was recognised in the recorded responses"
      )
    }
    notes += made.notes
    if !queries.unknown.isEmpty {
      let names = queries.unknown.sorted().joined(separator: ", ")
      notes.append("requests with \(names) in the query go on to the cassette: what it means cannot be told")
    }
    return notes
  }
}

/// How often each action on a collection was seen.
enum ActionCounts {
  static func text(_ actions: [(name: String, count: Int)]) -> [String] {
    actions.filter { $0.count > 0 }.map { $0.count == 1 ? $0.name : "\($0.name) ×\($0.count)" }
  }
}
