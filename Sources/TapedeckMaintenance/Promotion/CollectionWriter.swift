import TapedeckFormats
import TapedeckHTTP

/// Writes the declaration of a collection.
struct CollectionWriter {
  typealias Seen = CollectionEvidence.Seen

  let base: CollectionEvidence
  let session: PromotedSession
  private let id: String
  /// The lists at all paths.
  let lists: [Seen]
  private let names: Set<String>
  let idMember: String
  let parameters: [PathParameter]
  let queries: ListQueries
  private var seeds: (objects: [JSONValue], notes: [String]) = ([], [])

  init(_ base: CollectionEvidence, _ session: PromotedSession, id: String) {
    self.base = base
    self.session = session
    self.id = id
    let kind = session.kinds[base.pattern]
    let others = session.aliases(of: base.pattern).flatMap { session.evidence[$0]?.lists ?? [] }
    lists = (base.lists + others).sorted { $0.exchange.index < $1.exchange.index }
    names = kind?.names ?? []
    idMember = kind?.idMember ?? "id"
    queries = ListQueries(lists, members: names)
    let sightings = session.sightings[base.pattern] ?? []
    parameters = PathParameter.all(
      in: base.pattern, sightings.map { ($0.seen.parameters, $0.object.value) }, names)
    seeds = makeSeeds()
  }

  var resource: PromotedResource {
    let made = CreatedObjects(base.creates, scope: Set(parameters.map(\.name)))
    let path = PathParameter.filled(base.pattern, parameters)
    let declaration = JSONValue.object(of: [
      "id": JSONValue(id), "path": JSONValue(path),
      "idMember": idMember == "id" ? JSONValue?.none : JSONValue(idMember),
      "except": keepsList ? ["index"] : JSONValue?.none, "lists": JSONValue.array(otherLists).unlessEmpty,
      "hidden": JSONValue.array(parameters.filter(\.isHidden).map { JSONValue($0.name) }).unlessEmpty,
      "newest": newest, "nextIDs": JSONValue.array(made.ids).unlessEmpty,
      "defaults": JSONValue.object(made.defaults).unlessEmpty, "pages": queries.declared(first: firstPage),
      "passes": JSONValue.array(queries.unknown.sorted().map { JSONValue($0) }).unlessEmpty,
      "envelope": envelope, "put": mergesPut ? "merge" : JSONValue?.none, "answers": responses,
      "seed": JSONValue.array(seeds.objects).unlessEmpty,
    ])
    return PromotedResource(
      id: id, path: path, declaration: declaration, confidence: confidence,
      seen: PromotedResource.text(actions.map { ($0.name, $0.seen.count) }), assumed: assumed,
      notes: notes(made),
      objectCount: seeds.objects.count)
  }

  // MARK: Lists

  /// Whether requests for the list stay with the cassette, since no list was found in the responses.
  private var keepsList: Bool { lists.isEmpty && session.unread.contains(base.pattern) }

  private var otherLists: [JSONValue] {
    session.aliases(of: base.pattern).map { pattern in
      let samples = (session.evidence[pattern]?.lists ?? []).flatMap { list in
        list.items.map { (list.parameters, $0) }
      }
      // A parameter that matches no member is ignored.
      let parameters = PathParameter.all(in: pattern, samples, names).map {
        $0.isHidden ? PathParameter(name: "_\($0.name)") : $0
      }
      return JSONValue(PathParameter.filled(pattern, parameters))
    }
  }

  /// `first` if a later list begins with a created object.
  private var newest: JSONValue? {
    for create in base.creates {
      guard let id = create.object?.id else { continue }
      for list in lists where list.exchange.index > create.exchange.index && list.items.count > 1 {
        guard !list.exchange.query.contains(where: { $0.name == "sort" }),
          let place = list.items.firstIndex(where: { $0[idMember]?.idText == id })
        else { continue }
        return place == 0 ? "first" : JSONValue?.none
      }
    }
    return nil
  }

  /// The number of objects that a request without a page got, if there are more.
  private var firstPage: Int? {
    let bare = lists.first {
      $0.exchange.query.isEmpty && $0.parameters == base.lists.first?.parameters
    }
    guard let bare, bare.items.count > 0, let response = bare.exchange.response else { return nil }
    let total = ["total", "total_count", "totalCount", "count"].compactMap { response[$0]?.int }.max()
    let known = max(total ?? 0, parameters.isEmpty && queries.number != nil ? seeds.objects.count : 0)
    return known > bare.items.count ? bare.items.count : nil
  }

  private var envelope: JSONValue? {
    let list = lists.first { queries.isUnderstood($0.exchange.query) } ?? lists.first
    let item = itemEnvelope.flatMap { item in
      item.path.isEmpty ? JSONValue?.none : item.response?.replacing(item.path, with: "item")
    }
    return JSONValue.object(of: [
      "list": list.flatMap {
        JSONValue.envelope(
          of: $0, among: lists.compactMap(\.exchange.response), number: queries.number ?? "page",
          total: seeds.objects.count)
      }, "item": item,
    ]).unlessEmpty
  }

  private var itemEnvelope: (path: [String], response: JSONValue?)? {
    let first = (base.shows + base.creates).first { $0.object != nil }
    return first.map { ($0.object?.envelope ?? [], $0.exchange.response) }
  }

  // MARK: Changes

  /// Whether a PUT kept members that its body does not have.
  private var mergesPut: Bool {
    base.updates.contains { seen in
      guard seen.exchange.method == .put, let sent = seen.exchange.sent, let object = seen.object else {
        return false
      }
      return !object.value.names.subtracting(sent.names).subtracting([object.idMember]).isEmpty
    }
  }

  private var responses: JSONValue? {
    func action(_ seen: Seen?, usual: Int, _ body: (Seen) -> JSONValue?) -> JSONValue? {
      seen.flatMap { JSONValue.action($0.exchange.status, usual: usual, body: body($0)) }
    }
    let missing = base.missing.first { $0.exchange.response?.members != nil }
    return JSONValue.object(of: [
      "create": action(base.creates.first, usual: 201, body),
      "update": action(base.updates.first, usual: 200, body),
      "delete": action(base.deletes.first, usual: 204) { seen in
        seen.object.map { $0.id == seen.id } == true
          ? "{{item}}" : seen.exchange.response?.replacing(id: seen.id ?? "")
      },
      "missing": action(missing, usual: 404) { $0.exchange.response?.replacing(id: $0.id ?? "") },
    ]).unlessEmpty
  }

  /// The template of a response; `nil` if it is the object as in other responses.
  private func body(_ seen: Seen) -> JSONValue? {
    guard let response = seen.exchange.response else { return nil }
    guard let object = seen.object else { return response.replacing(id: seen.exchange.path.last ?? "") }
    let sent = seen.exchange.sent?.names ?? []
    let own = object.value.names
    if object.envelope.isEmpty, sent.isDisjoint(with: own), !sent.isEmpty || own.count < 3,
      own.count < names.count
    {
      return response.replacing(id: object.id)
    }
    return object.envelope == itemEnvelope?.path ?? []
      ? JSONValue?.none : response.replacing(object.envelope, with: "item")
  }

  // MARK: Confidence

  private var confidence: Double {
    var sum = actions.reduce(0) { $1.seen.isEmpty ? $0 : $0 + $1.weight }
    let listed = Set(lists.flatMap { FoundObject.all(in: $0.items).map(\.id) })
    let known = Set((base.shows + base.creates).compactMap { $0.object?.id })
    if !listed.isDisjoint(with: known) { sum += 0.15 }
    return min(sum, 1)
  }

  private var actions: [(name: String, seen: [Seen], weight: Double)] {
    [
      ("list", lists, 0.3), ("show", base.shows, 0.25), ("create", base.creates, 0.25),
      ("update", base.updates, 0.1), ("delete", base.deletes, 0.1),
    ]
  }

  private var assumed: [String] {
    actions.filter { $0.seen.isEmpty && !(keepsList && $0.name == "list") }.map(\.name)
  }

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
      notes.append("requests with \(names) in the query are left to the cassette: its meaning is unknown")
    }
    return notes
  }
}
