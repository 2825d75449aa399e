internal import TapedeckHTTP

/// Writes a collection of its own.
struct RootWriter {
  private let base: PromotedEvidence
  private let session: PromotedSession
  private let id: String
  private let lists: [PromotedEvidence.List]
  private let kind: PromotedKinds.Kind?
  private let holes: [PathHole]
  private let queries: ListQueries
  private let seeds: PromotedSeeds

  init(_ base: PromotedEvidence, _ session: PromotedSession, id: String) {
    self.base = base
    self.session = session
    self.id = id
    kind = session.kinds[base.template]
    let others = session.aliases.filter { $0.value == base.template }.keys.sorted()
    lists = (base.lists + others.flatMap { session.evidence[$0]?.lists ?? [] }).sorted { $0.index < $1.index }
    let names = kind?.names ?? []
    queries = ListQueries(
      lists.map { (session.exchanges[$0.index].query, $0.items.count) }, members: names)
    let sightings = session.sightings[base.template] ?? []
    holes = PathHole.all(in: base.template, sightings.map { ($0.holes, $0.object.value) }, names)
    seeds = PromotedSeeds(base, session, lists: lists, queries: queries, holes: holes)
  }

  private var made: NewObjects {
    NewObjects(
      all: base.creates.compactMap { seen in
        seen.object.map {
          .init(sent: session.exchanges[seen.index].sent, object: $0, parentID: seen.holes.last)
        }
      }, scope: Set(holes.map(\.name)))
  }

  var resource: PromotedResource {
    let made = made
    var members: [JSONMember] = [
      JSONMember("id", JSONValue(id)), JSONMember("path", JSONValue(PathHole.filled(base.template, holes))),
    ]
    func add(_ name: JSONString, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    let idMember = kind?.idMember ?? "id"
    add("idMember", idMember == "id" ? JSONValue?.none : JSONValue(idMember))
    add("except", keepsList ? ["index"] : JSONValue?.none)
    add("lists", otherLists)
    let hidden = holes.filter(\.isHidden).map { JSONValue($0.name) }
    add("hidden", hidden.isEmpty ? JSONValue?.none : .array(hidden))
    add("newest", newest)
    add("nextIDs", made.ids.isEmpty ? JSONValue?.none : .array(made.ids))
    add("defaults", made.defaults.isEmpty ? JSONValue?.none : .object(made.defaults))
    add("pages", queries.declared(first: firstPage))
    add(
      "passes",
      queries.unknown.isEmpty ? JSONValue?.none : .array(queries.unknown.sorted().map { JSONValue($0) }))
    add("envelope", envelope)
    add("put", mergesPut ? "merge" : JSONValue?.none)
    add("answers", answers)
    add("seed", seeds.objects.isEmpty ? JSONValue?.none : .array(seeds.objects))
    return PromotedResource(
      id: id, path: PathHole.filled(base.template, holes), declaration: .object(members),
      confidence: confidence, seen: seen, assumed: assumed, notes: notes(made),
      objectCount: seeds.objects.count, needs: [])
  }

  // MARK: Lists

  /// Whether the cassette keeps the list: it was answered with something that no list could be found in.
  private var keepsList: Bool { lists.isEmpty && session.unread.contains(base.template) }

  private var otherLists: JSONValue? {
    let others = session.aliases.filter { $0.value == base.template }.keys.sorted()
    let paths = others.map { template -> JSONValue in
      let evidence = session.evidence[template]?.lists ?? []
      let samples = evidence.flatMap { list in list.items.map { (list.holes, $0) } }
      let holes = PathHole.all(in: template, samples, kind?.names ?? []).map { $0.isHidden ? $0.ignored : $0 }
      return JSONValue(PathHole.filled(template, holes))
    }
    return paths.isEmpty ? JSONValue?.none : .array(paths)
  }

  /// Whether what was made came to stand first, where anybody looked.
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

  /// How many were given to who asked for no page, where there are more.
  private var firstPage: Int? {
    let bare = lists.first {
      session.exchanges[$0.index].query.isEmpty && $0.holes == base.lists.first?.holes
    }
    guard let bare, bare.items.count > 0, let answer = session.exchanges[bare.index].answer else {
      return nil
    }
    let total = ["total", "total_count", "totalCount", "count"].compactMap { answer[$0]?.int }.max()
    let known = max(total ?? 0, holes.isEmpty && queries.number != nil ? seeds.objects.count : 0)
    return known > bare.items.count ? bare.items.count : nil
  }

  private var envelope: JSONValue? {
    var members: [JSONMember] = []
    let list = lists.first { queries.isUnderstood(session.exchanges[$0.index].query) } ?? lists.first
    if let list, let answer = session.exchanges[list.index].answer,
      let template = AnswerTemplates.list(
        list, in: answer, among: lists.compactMap { session.exchanges[$0.index].answer },
        number: queries.number ?? "page", total: seeds.objects.count)
    {
      members.append(JSONMember("list", template))
    }
    if let (path, index) = itemEnvelope, !path.isEmpty, let answer = session.exchanges[index].answer {
      members.append(JSONMember("item", AnswerTemplates.replacing(path, in: answer, with: "item")))
    }
    return members.isEmpty ? JSONValue?.none : .object(members)
  }

  private var itemEnvelope: (path: [String], index: Int)? {
    let first = base.shows.first { $0.object != nil } ?? base.creates.first { $0.object != nil }
    return first.flatMap { seen in seen.object.map { ($0.envelope, seen.index) } }
  }

  // MARK: Changes

  /// Whether a PUT kept members that it did not name.
  private var mergesPut: Bool {
    base.updates.contains { seen in
      let exchange = session.exchanges[seen.index]
      guard exchange.method == .put, let sent = exchange.sent, let object = seen.object else { return false }
      return !object.value.names.subtracting(sent.names).subtracting([object.idMember]).isEmpty
    }
  }

  private var answers: JSONValue? {
    var members: [JSONMember] = []
    func add(_ name: JSONString, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    if let create = base.creates.first {
      add("create", AnswerTemplates.action(status(create), usual: 201, body: body(create)))
    }
    if let update = base.updates.first {
      add("update", AnswerTemplates.action(status(update), usual: 200, body: body(update)))
    }
    if let delete = base.deletes.first {
      let answer = session.exchanges[delete.seen.index].answer
      let body =
        delete.seen.object?.id == delete.id
        ? "{{item}}" : answer.map { AnswerTemplates.replacing(id: delete.id, in: $0) }
      add("delete", AnswerTemplates.action(status(delete.seen), usual: 204, body: body))
    }
    for missing in base.missing {
      guard let answer = session.exchanges[missing.index].answer, answer.members != nil else { continue }
      let body = AnswerTemplates.replacing(id: missing.id, in: answer)
      add("missing", AnswerTemplates.action(session.exchanges[missing.index].status, usual: 404, body: body))
      break
    }
    return members.isEmpty ? JSONValue?.none : .object(members)
  }

  private func status(_ seen: PromotedEvidence.Seen) -> Int { session.exchanges[seen.index].status }

  /// Nil where the answer is the object as others give it.
  private func body(_ seen: PromotedEvidence.Seen) -> JSONValue? {
    guard let answer = session.exchanges[seen.index].answer else { return nil }
    guard let object = seen.object else {
      let id = session.exchanges[seen.index].path.last ?? ""
      return AnswerTemplates.replacing(id: id, in: answer)
    }
    let sent = session.exchanges[seen.index].sent?.names ?? []
    let names = object.value.names
    if object.envelope.isEmpty, sent.isDisjoint(with: names), !sent.isEmpty || names.count < 3,
      names.count < (kind?.names.count ?? 0)
    {
      return AnswerTemplates.replacing(id: object.id, in: answer)
    }
    if object.envelope == itemEnvelope?.path ?? [] { return nil }
    return AnswerTemplates.replacing(object.envelope, in: answer, with: "item")
  }

  // MARK: How sure that is

  private var confidence: Double {
    var sum = 0.0
    if !lists.isEmpty { sum += 0.3 }
    if !base.shows.isEmpty { sum += 0.25 }
    if !base.creates.isEmpty { sum += 0.25 }
    if !base.updates.isEmpty { sum += 0.1 }
    if !base.deletes.isEmpty { sum += 0.1 }
    let listed = Set(lists.flatMap { PromotedEvidence.objects(of: $0.items).map(\.id) })
    let known = Set((base.shows + base.creates).compactMap { $0.object?.id })
    if !listed.isDisjoint(with: known) { sum += 0.15 }
    return min(sum, 1)
  }

  private var actions: [(String, Int)] {
    [
      ("list", lists.count), ("show", base.shows.count), ("create", base.creates.count),
      ("update", base.updates.count), ("delete", base.deletes.count),
    ]
  }

  private var seen: [String] { actions.filter { $0.1 > 0 }.map { $0.1 == 1 ? $0.0 : "\($0.0) ×\($0.1)" } }

  private var assumed: [String] {
    actions.filter { $0.1 == 0 && !(keepsList && $0.0 == "list") }.map(\.0)
  }

  private func notes(_ made: NewObjects) -> [String] {
    var notes = seeds.notes
    if keepsList {
      notes.append(
        "its list stays with the cassette and does not change: no list was recognised in the recorded responses"
      )
    }
    if !made.varying.isEmpty {
      notes.append(
        "new objects get the first recorded \(made.varying.joined(separator: ", ")), which changed in the recording"
      )
    }
    if !queries.unknown.isEmpty {
      let names = queries.unknown.sorted().joined(separator: ", ")
      notes.append("requests with \(names) in the query go on to the cassette: what it means cannot be told")
    }
    return notes
  }
}
