internal import TapedeckHTTP

/// A session cut up by what its requests are about.
struct PromotedSession {
  let exchanges: [PromotedExchange]
  private(set) var evidence: [String: PromotedEvidence] = [:]
  private(set) var kinds = PromotedKinds()
  /// The collections whose list is given at other paths: these by theirs.
  private(set) var aliases: [String: String] = [:]
  /// The kinds that paths are about whose objects are elements of lists.
  private(set) var embedded: [String: PromotedKinds.Key] = [:]
  /// All objects of a kind, as they were seen one after the other.
  private(set) var sightings: [PromotedKinds.Key: [Sighting]] = [:]
  /// Paths of collections that were answered with something that no list can be told in.
  private(set) var unread: Set<String> = []
  private var templates = PathTemplates()

  struct Sighting {
    var index: Int
    var object: PromotedObject
    /// What was in the holes of the path; empty where the path is another than the collection's.
    var holes: [String]
  }

  init(_ exchanges: [PromotedExchange]) {
    self.exchanges = PromotedOrder.sorted(exchanges)
    learnIDs()
    for index in self.exchanges.indices { sort(index) }
    findAliases()
    for _ in 0..<2 { for index in self.exchanges.indices { note(index) } }
    findEmbedded()
    kinds.forgetVersions()
    for index in self.exchanges.indices { follow(index) }
  }

  // MARK: What paths are about

  private mutating func learnIDs() {
    for exchange in exchanges.sorted(by: { $0.path.count < $1.path.count }) where exchange.isGood {
      guard let answer = exchange.answer, let last = exchange.path.last else { continue }
      switch exchange.method {
      case .get, .put, .patch:
        guard exchange.path.count > 1, let object = PromotedShape.object(in: answer, id: last, last: last),
          object.id == last
        else { continue }
        templates.learn(last, behind: exchange.path.dropLast())
      case .post:
        guard let object = PromotedShape.object(in: answer, last: last), !exchange.path.contains(object.id)
        else { continue }
        templates.learn(object.id, behind: exchange.path)
      default: continue
      }
    }
  }

  /// The place of an exchange: its template, and whether that ends with an object of the collection before.
  func place(_ exchange: PromotedExchange) -> (base: String, holes: [String], id: String?) {
    let match = templates.match(exchange.path)
    guard match.template.hasSuffix("/{}"), let id = match.holes.last else {
      return (match.template, match.holes, nil)
    }
    return (String(match.template.dropLast(3)), match.holes.dropLast(), id)
  }

  private mutating func change(_ base: String, _ body: (inout PromotedEvidence) -> Void) {
    body(&evidence[base, default: PromotedEvidence(template: base)])
  }

  /// Whether a template is one of a path pattern: what means something in these is a step of no collection.
  private static func canBeDeclared(_ template: String) -> Bool {
    let steps = template.split(separator: "/")
    return template.utf8.count < 500 && steps.contains { $0 != "{}" }
      && steps.allSatisfy { step in
        step == "{}" || !step.contains { "{}?#*%:".contains($0) || $0.isNewline || $0 == "\u{FFFD}" }
      }
  }

  private mutating func sort(_ index: Int) {
    let exchange = exchanges[index]
    let (base, holes, id) = place(exchange)
    guard Self.canBeDeclared(base) else { return }
    if let id, exchange.status == 404 || exchange.status == 410 {
      return change(base) { $0.missing.append((index, id)) }
    }
    guard exchange.isGood else { return }
    let last = exchange.path.last { $0 != id } ?? ""
    let object = exchange.answer.flatMap { PromotedShape.object(in: $0, id: id, last: last) }
    let seen = PromotedEvidence.Seen(index: index, holes: holes, object: object)
    switch (exchange.method, id) {
    case (.get, .some): if object?.id == id { change(base) { $0.shows.append(seen) } }
    case (.get, nil):
      guard let list = exchange.answer.flatMap({ PromotedShape.list(in: $0, last: last) }),
        list.items.isEmpty || PromotedShape.idMember(ofAll: list.items) != nil
      else {
        unread.insert(base)
        return
      }
      change(base) {
        $0.lists.append(.init(index: index, holes: holes, items: list.items, envelope: list.envelope))
      }
    case (.put, .some), (.patch, .some): change(base) { $0.updates.append(seen) }
    case (.delete, let id?): change(base) { $0.deletes.append((seen, id)) }
    case (.post, nil):
      guard let object, object.id != holes.last else { return }
      change(base) { $0.creates.append(seen) }
    default: return
    }
  }

  /// A path that only ever gave lists, of objects that are made or asked for at another one.
  private mutating func findAliases() {
    let alone = evidence.values.filter { $0.shows.isEmpty && $0.creates.isEmpty && !$0.lists.isEmpty }
    for list in alone.sorted(by: { $0.template < $1.template }) {
      let objects = list.lists.flatMap { PromotedEvidence.objects(of: $0.items) }
      let byID = Dictionary(objects.map { ($0.id, $0.value.names) }) { first, _ in first }
      let homes = evidence.values.filter { home in
        home.template != list.template
          && (home.objects + home.lists.flatMap { PromotedEvidence.objects(of: $0.items) }).contains {
            object in
            byID[object.id].map { PromotedShape.alike($0, object.value.names) } == true
          } && !(home.shows.isEmpty && home.creates.isEmpty)
      }
      let home = homes.min { ($0.template.utf8.count, $0.template) < ($1.template.utf8.count, $1.template) }
      guard let home, isAlias(list, of: home) else { continue }
      aliases[list.template] = home.template
    }
  }

  /// A list below an object that none of the collection's own objects is outside of is a collection of its own.
  private func isAlias(_ list: PromotedEvidence, of home: PromotedEvidence) -> Bool {
    !home.template.hasPrefix(list.template + "/")
  }

  // MARK: What objects are of which kind

  private func key(_ base: String) -> PromotedKinds.Key { aliases[base] ?? base }

  /// The objects of an exchange, with the kind that its path says.
  private func found(_ index: Int) -> [(PromotedObject, PromotedKinds.Key?)] {
    let exchange = exchanges[index]
    guard exchange.isGood, let answer = exchange.answer else { return [] }
    let (base, holes, id) = place(exchange)
    let last = exchange.path.last { $0 != id } ?? ""
    if exchange.method == .get, id == nil, let list = PromotedShape.list(in: answer, last: last) {
      return PromotedEvidence.objects(of: list.items).map { ($0, embedded[base] ?? key(base)) }
    }
    let around = exchange.method == .delete || exchange.method == .post ? holes.last : nil
    if let around, let object = PromotedShape.object(in: answer, id: around, last: last), object.id == around
    {
      return [(object, nil)]
    }
    guard let object = PromotedShape.object(in: answer, id: id, last: last), evidence[base] != nil else {
      return []
    }
    if exchange.method == .delete, object.id != id { return [] }
    return [(object, embedded[base] ?? key(base))]
  }

  private mutating func note(_ index: Int) {
    for (object, key) in found(index) {
      guard let key = key ?? kinds.kind(of: object)?.key else { continue }
      add(object, to: key)
    }
  }

  private mutating func add(_ object: PromotedObject, to key: PromotedKinds.Key) {
    guard let owner = owner(of: object.id, key) else { return kinds.add(object, to: key) }
    kinds.add(object, to: key, in: owner)
  }

  private func owner(
    of id: String, _ key: PromotedKinds.Key
  ) -> (key: PromotedKinds.Key, id: String, member: String)? {
    guard let kind = kinds[key], let parent = kind.parent else { return nil }
    return (parent, kind.owners[id] ?? "", kind.member)
  }

  /// A path below an object, about elements of a list in it.
  private mutating func findEmbedded() {
    for evidence in evidence.values.sorted(by: { $0.template < $1.template }) where !evidence.isEmpty {
      var votes: [PromotedKinds.Key: Int] = [:]
      var count = 0
      for seen in evidence.shows + evidence.creates {
        guard let object = seen.object, let hole = seen.holes.last else { continue }
        count += 1
        for kind in kinds.kinds.values where kind.parent != nil && kind.owners[object.id] == hole {
          if PromotedShape.alike(kind.names, object.value.names) { votes[kind.key, default: 0] += 1 }
        }
      }
      let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      if let best, best.value == count { embedded[evidence.template] = best.key }
    }
  }

  // MARK: What changed

  private mutating func follow(_ index: Int) {
    let exchange = exchanges[index]
    let (base, holes, id) = place(exchange)
    for (object, key) in found(index) {
      guard let found = key ?? kinds.kind(of: object)?.key ?? known(object, id)?.key else { continue }
      if key == nil, exchange.method == .post, let hole = holes.last, hole == object.id {
        notice(object, of: found, base, holes, index)
      }
      add(object, to: found)
      let ownHoles = base == found ? holes : []
      sightings[found, default: []].append(Sighting(index: index, object: object, holes: ownHoles))
    }
  }

  /// The kind of an object that has not been seen before.
  private func known(_ object: PromotedObject, _ id: String?) -> PromotedKinds.Kind? {
    kinds.kinds.values.filter { PromotedShape.alike($0.names, object.value.names) }
      .min { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
  }

  private mutating func notice(
    _ object: PromotedObject, of kind: PromotedKinds.Key, _ base: String, _ holes: [String], _ index: Int
  ) {
    let old = kinds[kind]?.latest[object.id]
    for member in object.value.members ?? [] {
      let (name, elements) = (member.name.text, PromotedKinds.elements(of: member.value))
      let before = Set(PromotedKinds.elements(of: old?[name] ?? .null).map(\.id))
      let added = elements.filter { !before.contains($0.id) }
      guard added.count == 1, old != nil || elements.count == 1 else { continue }
      let addition = PromotedEvidence.Addition(
        index: index, holes: holes, kind: kind, member: name, element: added[0],
        isFirstOfSeveral: elements.count > 1 && elements.first?.id == added[0].id, envelope: object.envelope)
      change(base) { $0.additions.append(addition) }
      embedded[base] = PromotedKinds.key(kind, name)
      return
    }
  }
}
