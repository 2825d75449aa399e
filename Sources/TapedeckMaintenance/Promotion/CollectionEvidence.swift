import TapedeckHTTP

/// The exchanges of a session about one collection.
struct CollectionEvidence {
  struct Seen {
    /// The place of the exchange in the session.
    var index: Int
    var parameters: [String]
    var object: FoundObject?
  }

  struct List {
    var index: Int
    var parameters: [String]
    var items: [JSONValue]
    var envelope: [String]
  }

  let pattern: String
  var lists: [List] = []
  var shows: [Seen] = []
  var creates: [Seen] = []
  var updates: [Seen] = []
  /// With the object in the response.
  var deletes: [(seen: Seen, id: String)] = []
  /// Requests for what was not there.
  var missing: [(index: Int, id: String)] = []
  /// Changes whose response is the object around the element.
  var additions: [Addition] = []

  /// An element that came into a list of an object.
  struct Addition {
    var index: Int
    var parameters: [String]
    var kind: ObjectKinds.Key
    var member: String
    var element: FoundObject
    var isFirstOfSeveral: Bool
    var envelope: [String]
  }

  var isEmpty: Bool { lists.isEmpty && shows.isEmpty && creates.isEmpty && additions.isEmpty }
  var objects: [FoundObject] { (shows + creates + updates).compactMap(\.object) }
}

/// The kinds of objects that a session speaks of, and every object of them: those of collections, and those that are
/// elements of lists in others.
struct ObjectKinds {
  /// The pattern of a collection, or that and the members that lead on: `/posts|comments|likes`.
  typealias Key = String

  struct Kind {
    let key: Key
    var parent: Key?
    var member = ""
    /// All names that its objects have.
    var names: Set<String> = []
    var latest: [String: JSONValue] = [:]
    /// The ids of the objects that elements are in.
    var owners: [String: String] = [:]
    /// The members that are ids, by how many objects have them.
    var idMembers: [String: Int] = [:]
    mutating func take(_ object: FoundObject, ownerID: String?) {
      for member in object.value.members ?? [] { names.insert(member.name.text) }
      latest[object.id] = object.value
      idMembers[object.idMember, default: 0] += 1
      if let ownerID { owners[object.id] = ownerID }
    }

    var idMember: String { idMembers.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "id" }
  }

  private(set) var kinds: [Key: Kind] = [:]

  subscript(key: Key) -> Kind? { kinds[key] }

  private static func depth(_ key: Key) -> Int { key.utf8.count(where: { $0 == UInt8(ascii: "|") }) }

  static func key(_ parent: Key, _ member: String) -> Key { "\(parent)|\(member)" }

  mutating func forgetVersions() { for key in kinds.keys { kinds[key]?.latest = [:] } }

  /// - Parameter owner: the kind and the id of the object that this one is in.
  mutating func add(
    _ object: FoundObject, to key: Key, in owner: (key: Key, id: String, member: String)? = nil
  ) {
    let new = Kind(key: key, parent: owner?.key, member: owner?.member ?? "")
    // In place: a copy of all objects for each one would take for ever.
    kinds[key, default: new].take(object, ownerID: owner?.id)
    guard Self.depth(key) < 3 else { return }
    for member in object.value.members ?? [] {
      for element in ObjectFinder.objects(in: member.value.array ?? []) {
        let name = member.name.text
        add(element, to: Self.key(key, name), in: (key, object.id, name))
      }
    }
  }

  /// The kind that an object is of; of several the one that is most like it, collections first.
  func kind(of object: FoundObject) -> Kind? {
    let names = object.value.names
    let fitting = kinds.values.filter {
      $0.latest[object.id] != nil
        && ObjectFinder.alike(Set($0.latest[object.id]?.members?.map(\.name.text) ?? []), names)
    }
    return fitting.min { left, right in
      let ranks = [left, right].map { kind in (Self.depth(kind.key), -kind.names.intersection(names).count) }
      return (ranks[0].0, ranks[0].1, left.key) < (ranks[1].0, ranks[1].1, right.key)
    }
  }
}
