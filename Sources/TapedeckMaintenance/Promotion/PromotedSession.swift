import TapedeckHTTP

/// A session, grouped by the collections that its requests concern.
struct PromotedSession {
  typealias Seen = CollectionEvidence.Seen

  let exchanges: [PromotedExchange]
  private(set) var evidence: [String: CollectionEvidence] = [:]
  private(set) var kinds: [ObjectKind.Key: ObjectKind] = [:]
  /// The patterns of collections by the other patterns that serve their lists.
  private(set) var aliases: [String: String] = [:]
  /// The kinds of list elements that have paths, by pattern.
  private(set) var embedded: [String: ObjectKind.Key] = [:]
  /// All objects of a kind, in the order they were seen. They have parameters only if the path is that of the collection
  /// itself.
  private(set) var sightings: [ObjectKind.Key: [(seen: Seen, object: FoundObject)]] = [:]
  /// Paths of collections in whose responses no list was found.
  private(set) var unread: Set<String> = []
  /// The first exchange that changed each object, by id.
  private(set) var changes: [String: Int] = [:]
  /// Segments that are known to be ids, by the pattern before them.
  private var knownIDs: [String: Set<String>] = [:]

  init(_ exchanges: [PromotedExchange]) {
    self.exchanges = PromotedExchange.sorted(exchanges).enumerated().map { index, exchange in
      var exchange = exchange
      exchange.index = index
      return exchange
    }
    learnIDs()
    for exchange in self.exchanges { sort(exchange) }
    findAliases()
    for _ in 0..<2 {
      for exchange in self.exchanges {
        for (object, key) in found(exchange) {
          if let key = key ?? kind(of: object)?.key { add(object, to: key) }
        }
      }
    }
    findEmbedded()
    for key in kinds.keys { kinds[key]?.latest = [:] }
    for exchange in self.exchanges { follow(exchange) }
  }

  // MARK: Patterns

  /// Generalizes a path: `/posts/1/comments` matches `/posts/{}/comments`.
  private func match(_ path: some Collection<String>) -> (pattern: String, parameters: [String]) {
    var (pattern, parameters, last) = ("", [String](), "")
    for (index, segment) in path.enumerated() {
      let isVersion = segment.utf8.count < 3 && ["api", "rest", "v", "version"].contains(last)
      let isID =
        knownIDs[pattern]?.contains(segment) == true
        || index > 0 && last != "{}" && FoundObject.looksLikeID(segment) && !isVersion
      if isID { parameters.append(segment) }
      last = isID ? "{}" : segment
      pattern += "/\(last)"
    }
    return (pattern, parameters)
  }

  private mutating func learnIDs() {
    for exchange in exchanges.sorted(by: { $0.path.count < $1.path.count }) where exchange.isGood {
      guard let response = exchange.response, let last = exchange.path.last else { continue }
      switch exchange.method {
      case .get, .put, .patch:
        guard exchange.path.count > 1, FoundObject(in: response, id: last, last: last)?.id == last else {
          continue
        }
        knownIDs[match(exchange.path.dropLast()).pattern, default: []].insert(last)
      case .post:
        guard let object = FoundObject(in: response, last: last), !exchange.path.contains(object.id) else {
          continue
        }
        knownIDs[match(exchange.path).pattern, default: []].insert(object.id)
      default: continue
      }
    }
  }

  /// The pattern of an exchange, and whether it ends with the id of an object.
  private func place(
    _ exchange: PromotedExchange
  ) -> (base: String, parameters: [String], id: String?, last: String) {
    var (pattern, parameters) = match(exchange.path)
    var id: String?
    if pattern.hasSuffix("/{}") {
      id = parameters.popLast()
      pattern.removeLast(3)
    }
    return (pattern, parameters, id, exchange.path.last { $0 != id } ?? "")
  }

  /// Whether a pattern can be declared, since no segment contains a special character of path patterns.
  private static func canBeDeclared(_ pattern: String) -> Bool {
    let segments = pattern.split(separator: "/")
    return pattern.utf8.count < 500 && segments.contains { $0 != "{}" }
      && segments.allSatisfy { segment in
        segment == "{}" || !segment.contains { "{}?#*%:".contains($0) || $0.isNewline || $0 == "\u{FFFD}" }
      }
  }

  // MARK: Evidence

  private mutating func sort(_ exchange: PromotedExchange) {
    if exchange.isGood, exchange.method != .get, exchange.method != .head {
      for segment in exchange.path where changes[segment] == nil { changes[segment] = exchange.index }
    }
    let (base, parameters, id, last) = place(exchange)
    guard Self.canBeDeclared(base) else { return }
    var seen = Seen(exchange: exchange, parameters: parameters, id: id)
    if id != nil, exchange.isMissing { return note(seen, in: \.missing, base) }
    guard exchange.isGood else { return }
    seen.object = exchange.response.flatMap { FoundObject(in: $0, id: id, last: last) }
    switch (exchange.method, id) {
    case (.get, let id?): if seen.object?.id == id { note(seen, in: \.shows, base) }
    case (.get, nil):
      guard let list = exchange.response.flatMap({ FoundObject.list(in: $0, last: last) }),
        FoundObject.identified(list.items) != nil
      else {
        unread.insert(base)
        return
      }
      (seen.items, seen.envelope) = list
      note(seen, in: \.lists, base)
    case (.put, .some), (.patch, .some): note(seen, in: \.updates, base)
    case (.delete, .some): note(seen, in: \.deletes, base)
    case (.post, nil):
      if let object = seen.object, object.id != parameters.last { note(seen, in: \.creates, base) }
    default: return
    }
  }

  private mutating func note(
    _ seen: Seen, in action: WritableKeyPath<CollectionEvidence, [Seen]>, _ base: String
  ) {
    evidence[base, default: CollectionEvidence(pattern: base)][keyPath: action].append(seen)
  }

  /// Finds paths that only serve lists of objects that are created or fetched at another path. If the path of a list leads
  /// to that other path, the list is a collection of its own.
  private mutating func findAliases() {
    let alone = evidence.values.filter { $0.shows.isEmpty && $0.creates.isEmpty && !$0.lists.isEmpty }
    for list in alone.sorted(by: { $0.pattern < $1.pattern }) {
      let byID = Dictionary(list.listed.map { ($0.id, $0.value.names) }) { first, _ in first }
      let homes = evidence.values.filter { home in
        home.pattern != list.pattern && !(home.shows.isEmpty && home.creates.isEmpty)
          && (home.objects + home.listed).contains { object in
            byID[object.id].map { FoundObject.areAlike($0, object.value.names) } == true
          }
      }
      let home = homes.min { ($0.pattern.utf8.count, $0.pattern) < ($1.pattern.utf8.count, $1.pattern) }
      if let home, !home.pattern.hasPrefix(list.pattern + "/") { aliases[list.pattern] = home.pattern }
    }
  }

  /// The other patterns that serve the list of a collection.
  func aliases(of pattern: String) -> [String] {
    aliases.filter { $0.value == pattern }.keys.sorted()
  }
}

// MARK: - Kinds of objects

extension PromotedSession {
  /// The objects of an exchange, with the kind that follows from its path.
  private func found(_ exchange: PromotedExchange) -> [(FoundObject, ObjectKind.Key?)] {
    guard exchange.isGood, let response = exchange.response else { return [] }
    let (base, parameters, id, last) = place(exchange)
    let key = embedded[base] ?? aliases[base] ?? base
    if exchange.method == .get, id == nil, let list = FoundObject.list(in: response, last: last) {
      return FoundObject.all(in: list.items).map { ($0, key) }
    }
    let around = exchange.method == .delete || exchange.method == .post ? parameters.last : nil
    if let around, let object = FoundObject(in: response, id: around, last: last), object.id == around {
      return [(object, nil)]
    }
    guard let object = FoundObject(in: response, id: id, last: last), evidence[base] != nil,
      exchange.method != .delete || object.id == id
    else { return [] }
    return [(object, key)]
  }

  private mutating func add(_ object: FoundObject, to key: ObjectKind.Key) {
    let owner = kinds[key].flatMap { kind in
      kind.parent.map { (key: $0, id: kind.owners[object.id] ?? "", member: kind.member) }
    }
    add(object, to: key, in: owner)
  }

  /// - Parameter owner: the kind and the id of the object that this one is in.
  private mutating func add(
    _ object: FoundObject, to key: ObjectKind.Key,
    in owner: (key: ObjectKind.Key, id: String, member: String)?
  ) {
    let new = ObjectKind(key, in: owner.map { ($0.key, $0.member) })
    // In place, since copying all objects for each one would take quadratic time.
    kinds[key, default: new].add(object, ownerID: owner?.id)
    guard ObjectKind.depth(key) < 3 else { return }
    for member in object.value.members ?? [] {
      let name = member.name.text
      for element in FoundObject.all(in: member.value.array) {
        add(element, to: "\(key)|\(name)", in: (key, object.id, name))
      }
    }
  }

  /// The kind of an object; of several, the most similar one, with collections first.
  private func kind(of object: FoundObject) -> ObjectKind? {
    let names = object.value.names
    let fitting = kinds.values.filter { kind in
      kind.latest[object.id].map { FoundObject.areAlike($0.names, names) } == true
    }
    func rank(_ kind: ObjectKind) -> (Int, Int, String) {
      (ObjectKind.depth(kind.key), -kind.names.intersection(names).count, kind.key)
    }
    return fitting.min { rank($0) < rank($1) }
  }

  /// Finds paths below an object, about elements of a list in it.
  private mutating func findEmbedded() {
    for evidence in evidence.values.sorted(by: { $0.pattern < $1.pattern }) where !evidence.isEmpty {
      var votes: [ObjectKind.Key: Int] = [:]
      var count = 0
      for seen in evidence.shows + evidence.creates {
        guard let object = seen.object, let parameter = seen.parameters.last else { continue }
        count += 1
        for kind in kinds.values where kind.parent != nil && kind.owners[object.id] == parameter {
          if FoundObject.areAlike(kind.names, object.value.names) { votes[kind.key, default: 0] += 1 }
        }
      }
      let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      if let best, best.value == count { embedded[evidence.pattern] = best.key }
    }
  }

  // MARK: Changes

  private mutating func follow(_ exchange: PromotedExchange) {
    let (base, parameters, id, _) = place(exchange)
    for (object, key) in found(exchange) {
      guard let found = key ?? kind(of: object)?.key ?? kind(like: object)?.key else { continue }
      if key == nil, exchange.method == .post, parameters.last == object.id {
        noteAddition(
          to: object, of: found, base, Seen(exchange: exchange, parameters: parameters, id: id))
      }
      add(object, to: found)
      let seen = Seen(exchange: exchange, parameters: base == found ? parameters : [], id: id)
      sightings[found, default: []].append((seen, object))
    }
  }

  /// The kind of an object that has not been seen before.
  private func kind(like object: FoundObject) -> ObjectKind? {
    kinds.values.filter { FoundObject.areAlike($0.names, object.value.names) }.min {
      ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key)
    }
  }

  /// Notes the one element that an exchange has added to a list of an object.
  private mutating func noteAddition(
    to object: FoundObject, of kind: ObjectKind.Key, _ base: String, _ seen: Seen
  ) {
    let old = kinds[kind]?.latest[object.id]
    for member in object.value.members ?? [] {
      let (name, elements) = (member.name.text, FoundObject.all(in: member.value.array))
      let before = Set(FoundObject.all(in: old?[name]?.array).map(\.id))
      let added = elements.filter { !before.contains($0.id) }
      guard added.count == 1, old != nil || elements.count == 1 else { continue }
      var seen = seen
      seen.object = added[0]
      seen.isFirstOfSeveral = elements.count > 1 && elements.first?.id == added[0].id
      seen.envelope = object.envelope
      note(seen, in: \.additions, base)
      embedded[base] = "\(kind)|\(name)"
      return
    }
  }
}
