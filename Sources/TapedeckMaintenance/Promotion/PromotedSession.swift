import TapedeckHTTP

/// A session, sorted by the collections that its requests are about.
struct PromotedSession {
  let exchanges: [PromotedExchange]
  private(set) var evidence: [String: CollectionEvidence] = [:]
  private(set) var kinds = ObjectKinds()
  /// The collections whose list is given at other paths: these by theirs.
  private(set) var aliases: [String: String] = [:]
  /// The kinds that paths are about whose objects are elements of lists.
  private(set) var embedded: [String: ObjectKinds.Key] = [:]
  /// All objects of a kind, in the order in which they were seen.
  private(set) var sightings: [ObjectKinds.Key: [Sighting]] = [:]
  /// Paths of collections in whose responses no list was found.
  private(set) var unread: Set<String> = []
  private var patterns = PathPatterns()

  struct Sighting {
    var index: Int
    var object: FoundObject
    /// What was in the parameters of the path; empty where the path is another than the collection's.
    var parameters: [String]
  }

  init(_ exchanges: [PromotedExchange]) {
    self.exchanges = PromotedExchange.sorted(exchanges)
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
      guard let response = exchange.response, let last = exchange.path.last else { continue }
      switch exchange.method {
      case .get, .put, .patch:
        guard exchange.path.count > 1, let object = ObjectFinder.object(in: response, id: last, last: last),
          object.id == last
        else { continue }
        patterns.learn(last, behind: exchange.path.dropLast())
      case .post:
        guard let object = ObjectFinder.object(in: response, last: last), !exchange.path.contains(object.id)
        else { continue }
        patterns.learn(object.id, behind: exchange.path)
      default: continue
      }
    }
  }

  /// The place of an exchange: its pattern, and whether that ends with an object of the collection before.
  func place(_ exchange: PromotedExchange) -> (base: String, parameters: [String], id: String?) {
    let match = patterns.match(exchange.path)
    guard match.pattern.hasSuffix("/{}"), let id = match.parameters.last else {
      return (match.pattern, match.parameters, nil)
    }
    return (String(match.pattern.dropLast(3)), match.parameters.dropLast(), id)
  }

  private mutating func change(_ base: String, _ body: (inout CollectionEvidence) -> Void) {
    body(&evidence[base, default: CollectionEvidence(pattern: base)])
  }

  /// Whether a pattern is one of a path pattern: what means something in these is a segment of no collection.
  private static func canBeDeclared(_ pattern: String) -> Bool {
    let segments = pattern.split(separator: "/")
    return pattern.utf8.count < 500 && segments.contains { $0 != "{}" }
      && segments.allSatisfy { segment in
        segment == "{}" || !segment.contains { "{}?#*%:".contains($0) || $0.isNewline || $0 == "\u{FFFD}" }
      }
  }

  private mutating func sort(_ index: Int) {
    let exchange = exchanges[index]
    let (base, parameters, id) = place(exchange)
    guard Self.canBeDeclared(base) else { return }
    if let id, exchange.status == 404 || exchange.status == 410 {
      return change(base) { $0.missing.append((index, id)) }
    }
    guard exchange.isGood else { return }
    let last = exchange.path.last { $0 != id } ?? ""
    let object = exchange.response.flatMap { ObjectFinder.object(in: $0, id: id, last: last) }
    let seen = CollectionEvidence.Seen(index: index, parameters: parameters, object: object)
    switch (exchange.method, id) {
    case (.get, .some): if object?.id == id { change(base) { $0.shows.append(seen) } }
    case (.get, nil):
      guard let list = exchange.response.flatMap({ ObjectFinder.list(in: $0, last: last) }),
        list.items.isEmpty || ObjectFinder.idMember(ofAll: list.items) != nil
      else {
        unread.insert(base)
        return
      }
      change(base) {
        $0.lists.append(
          .init(index: index, parameters: parameters, items: list.items, envelope: list.envelope))
      }
    case (.put, .some), (.patch, .some): change(base) { $0.updates.append(seen) }
    case (.delete, let id?): change(base) { $0.deletes.append((seen, id)) }
    case (.post, nil):
      guard let object, object.id != parameters.last else { return }
      change(base) { $0.creates.append(seen) }
    default: return
    }
  }

  /// Finds paths that give nothing but lists, of objects that are created or fetched at another path.
  private mutating func findAliases() {
    let alone = evidence.values.filter { $0.shows.isEmpty && $0.creates.isEmpty && !$0.lists.isEmpty }
    for list in alone.sorted(by: { $0.pattern < $1.pattern }) {
      let objects = list.lists.flatMap { ObjectFinder.objects(in: $0.items) }
      let byID = Dictionary(objects.map { ($0.id, $0.value.names) }) { first, _ in first }
      let homes = evidence.values.filter { home in
        home.pattern != list.pattern
          && (home.objects + home.lists.flatMap { ObjectFinder.objects(in: $0.items) }).contains { object in
            byID[object.id].map { ObjectFinder.alike($0, object.value.names) } == true
          } && !(home.shows.isEmpty && home.creates.isEmpty)
      }
      let home = homes.min { ($0.pattern.utf8.count, $0.pattern) < ($1.pattern.utf8.count, $1.pattern) }
      guard let home, isAlias(list, of: home) else { continue }
      aliases[list.pattern] = home.pattern
    }
  }

  /// A list below an object that none of the collection's own objects is outside of is a collection of its own.
  private func isAlias(_ list: CollectionEvidence, of home: CollectionEvidence) -> Bool {
    !home.pattern.hasPrefix(list.pattern + "/")
  }

  // MARK: What objects are of which kind

  private func key(_ base: String) -> ObjectKinds.Key { aliases[base] ?? base }

  /// The objects of an exchange, with the kind that its path says.
  private func found(_ index: Int) -> [(FoundObject, ObjectKinds.Key?)] {
    let exchange = exchanges[index]
    guard exchange.isGood, let response = exchange.response else { return [] }
    let (base, parameters, id) = place(exchange)
    let last = exchange.path.last { $0 != id } ?? ""
    if exchange.method == .get, id == nil, let list = ObjectFinder.list(in: response, last: last) {
      return ObjectFinder.objects(in: list.items).map { ($0, embedded[base] ?? key(base)) }
    }
    let around = exchange.method == .delete || exchange.method == .post ? parameters.last : nil
    if let around, let object = ObjectFinder.object(in: response, id: around, last: last), object.id == around
    {
      return [(object, nil)]
    }
    guard let object = ObjectFinder.object(in: response, id: id, last: last), evidence[base] != nil else {
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

  private mutating func add(_ object: FoundObject, to key: ObjectKinds.Key) {
    guard let owner = owner(of: object.id, key) else { return kinds.add(object, to: key) }
    kinds.add(object, to: key, in: owner)
  }

  private func owner(of id: String, _ key: ObjectKinds.Key) -> (
    key: ObjectKinds.Key, id: String, member: String
  )? {
    guard let kind = kinds[key], let parent = kind.parent else { return nil }
    return (parent, kind.owners[id] ?? "", kind.member)
  }

  /// A path below an object, about elements of a list in it.
  private mutating func findEmbedded() {
    for evidence in evidence.values.sorted(by: { $0.pattern < $1.pattern }) where !evidence.isEmpty {
      var votes: [ObjectKinds.Key: Int] = [:]
      var count = 0
      for seen in evidence.shows + evidence.creates {
        guard let object = seen.object, let parameter = seen.parameters.last else { continue }
        count += 1
        for kind in kinds.kinds.values where kind.parent != nil && kind.owners[object.id] == parameter {
          if ObjectFinder.alike(kind.names, object.value.names) { votes[kind.key, default: 0] += 1 }
        }
      }
      let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      if let best, best.value == count { embedded[evidence.pattern] = best.key }
    }
  }

  // MARK: What changed

  private mutating func follow(_ index: Int) {
    let exchange = exchanges[index]
    let (base, parameters, id) = place(exchange)
    for (object, key) in found(index) {
      guard let found = key ?? kinds.kind(of: object)?.key ?? known(object, id)?.key else { continue }
      if key == nil, exchange.method == .post, let parameter = parameters.last, parameter == object.id {
        notice(object, of: found, base, parameters, index)
      }
      add(object, to: found)
      let ownParameters = base == found ? parameters : []
      sightings[found, default: []].append(Sighting(index: index, object: object, parameters: ownParameters))
    }
  }

  /// The kind of an object that has not been seen before.
  private func known(_ object: FoundObject, _ id: String?) -> ObjectKinds.Kind? {
    kinds.kinds.values.filter { ObjectFinder.alike($0.names, object.value.names) }.min {
      ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key)
    }
  }

  private mutating func notice(
    _ object: FoundObject, of kind: ObjectKinds.Key, _ base: String, _ parameters: [String], _ index: Int
  ) {
    let old = kinds[kind]?.latest[object.id]
    for member in object.value.members ?? [] {
      let (name, elements) = (member.name.text, ObjectFinder.objects(in: member.value.array ?? []))
      let before = Set(ObjectFinder.objects(in: old?[name]?.array ?? []).map(\.id))
      let added = elements.filter { !before.contains($0.id) }
      guard added.count == 1, old != nil || elements.count == 1 else { continue }
      let addition = CollectionEvidence.Addition(
        index: index, parameters: parameters, kind: kind, member: name, element: added[0],
        isFirstOfSeveral: elements.count > 1 && elements.first?.id == added[0].id, envelope: object.envelope)
      change(base) { $0.additions.append(addition) }
      embedded[base] = ObjectKinds.key(kind, name)
      return
    }
  }
}
