internal import TapedeckHTTP

/// The kinds of objects that a session speaks of, and every object of them: those of collections, and those that are
/// elements of lists in others.
struct PromotedKinds {
  /// The template of a collection, or that and the members that lead on: `/posts|comments|likes`.
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
    mutating func take(_ object: PromotedObject, ownerID: String?) {
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
    _ object: PromotedObject, to key: Key, in owner: (key: Key, id: String, member: String)? = nil
  ) {
    let new = Kind(key: key, parent: owner?.key, member: owner?.member ?? "")
    // In place: a copy of all objects for each one would take for ever.
    kinds[key, default: new].take(object, ownerID: owner?.id)
    guard Self.depth(key) < 3 else { return }
    for member in object.value.members ?? [] {
      for element in Self.elements(of: member.value) {
        let name = member.name.text
        add(element, to: Self.key(key, name), in: (key, object.id, name))
      }
    }
  }

  static func elements(of value: JSONValue) -> [PromotedObject] {
    guard let items = value.array, !items.isEmpty, let idMember = PromotedShape.idMember(ofAll: items) else {
      return []
    }
    return items.map { item in
      PromotedObject(id: item[idMember]?.idText ?? "", idMember: idMember, value: item, envelope: [])
    }
  }

  /// The kind that an object is of; of several the one that is most like it, collections first.
  func kind(of object: PromotedObject) -> Kind? {
    let names = object.value.names
    let fitting = kinds.values.filter {
      $0.latest[object.id] != nil
        && PromotedShape.alike(Set($0.latest[object.id]?.members?.map(\.name.text) ?? []), names)
    }
    return fitting.min { left, right in
      let ranks = [left, right].map { kind in
        (Self.depth(kind.key), -kind.names.intersection(names).count)
      }
      return (ranks[0].0, ranks[0].1, left.key) < (ranks[1].0, ranks[1].1, right.key)
    }
  }
}
