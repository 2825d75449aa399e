import TapedeckHTTP

/// The exchanges of a session about one collection.
struct CollectionEvidence {
  /// One exchange, and what it shows of the collection.
  struct Seen {
    var exchange: PromotedExchange
    /// The values of the parameters in the collection's path.
    var parameters: [String]
    /// The id that the path ends with.
    var id: String?
    /// The object in the response; for an addition, the element added to a list of another object.
    var object: FoundObject?
    var items: [JSONValue] = []
    /// The names of the members that lead to a list, or to the object around an element.
    var envelope: [String] = []
    /// Whether an added element is the first of several.
    var isFirstOfSeveral = false
  }

  let pattern: String
  var lists: [Seen] = []
  var shows: [Seen] = []
  var creates: [Seen] = []
  var updates: [Seen] = []
  var deletes: [Seen] = []
  /// Requests for missing objects.
  var missing: [Seen] = []
  /// Requests that add an element to a list of an object, whose response is that object.
  var additions: [Seen] = []

  var isEmpty: Bool { lists.isEmpty && shows.isEmpty && creates.isEmpty && additions.isEmpty }
  var objects: [FoundObject] { (shows + creates + updates).compactMap(\.object) }
  var listed: [FoundObject] { lists.flatMap { FoundObject.all(in: $0.items) } }
}

/// A kind of objects in a session: those of a collection, or the elements of lists in other objects.
struct ObjectKind {
  /// The pattern of a collection, or that with the members that lead to a list in it: `/posts|comments|likes`.
  typealias Key = String

  let key: Key
  var parent: Key?
  var member = ""
  var names: Set<String> = []
  var latest: [String: JSONValue] = [:]
  /// The ids of the objects that elements are in.
  var owners: [String: String] = [:]
  /// The members that are ids, by how many objects have them.
  private var idMembers: [String: Int] = [:]

  init(_ key: Key, in owner: (key: Key, member: String)?) {
    self.key = key
    parent = owner?.key
    member = owner?.member ?? ""
  }

  mutating func add(_ object: FoundObject, ownerID: String?) {
    for member in object.value.members ?? [] { names.insert(member.name.text) }
    latest[object.id] = object.value
    idMembers[object.idMember, default: 0] += 1
    if let ownerID { owners[object.id] = ownerID }
  }

  var idMember: String { idMembers.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "id" }

  /// How many members lead to the objects of a kind.
  static func depth(_ key: Key) -> Int { key.utf8.count(where: { $0 == UInt8(ascii: "|") }) }
}
