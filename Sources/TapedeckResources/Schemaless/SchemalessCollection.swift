internal import TapedeckHTTP
internal import TapedeckMocking

/// An object without a Swift type: a JSON object, known by an id that is one of its members.
struct SchemalessObject: Storable {
  let id: String
  var members: [JSONMember]

  subscript(name: String) -> JSONValue? {
    get { members.last { $0.name.isEqual(to: name.utf8) }?.value }
    set { members.set(name, newValue) }
  }
}

extension SchemalessObject {
  init(id: String, store: Store) { self.init(id: id, members: []) }
}

/// All objects of one schemaless resource. The collection is a single entity of the store, so that changes to it happen
/// as a whole or not at all.
struct SchemalessCollection: Storable {
  /// Of the resource.
  let id: String
  private var objects = Entities<SchemalessObject>()
  private var ids: IDSource
  /// The ids of the next new objects, before any are made.
  private var nextIDs: ArraySlice<String>
  private let beginsWithNewest: Bool

  init(id: String, ids: IDStrategy, nextIDs: [String] = [], beginsWithNewest: Bool = false) {
    self.id = id
    self.ids = IDSource(ids)
    self.nextIDs = nextIDs[...]
    self.beginsWithNewest = beginsWithNewest
  }

  init(id: String, store: Store) { self.init(id: id, ids: .counter(from: 1)) }

  /// Adds the first objects, in the order in which they are served.
  mutating func append(_ seeds: [SchemalessObject]) {
    for object in beginsWithNewest ? seeds.reversed() : seeds { append(object) }
  }

  /// In the order in which they are served.
  var all: [SchemalessObject] {
    var objects = objects
    _ = objects.close()
    return beginsWithNewest ? objects.list.reversed() : objects.list
  }

  func find(_ id: String) -> SchemalessObject? { objects.find(id) }

  mutating func append(_ object: SchemalessObject) {
    notice(object.id)
    objects.append(object, id: object.id)
  }

  mutating func replace(_ object: SchemalessObject) { _ = objects.replace(object, id: object.id) }

  mutating func remove(_ id: String) { _ = objects.remove(id) }

  /// Makes counted ids continue after this one.
  mutating func notice(_ id: String) { ids.notice(id, of: Self.key) }

  mutating func takeID(besides taken: Set<String>) -> String {
    while let id = nextIDs.popFirst() { if !taken.contains(id), !objects.has(id) { return id } }
    return takeSeedID(taken)
  }

  /// An id that is none of those kept for new objects.
  mutating func takeSeedID(_ taken: Set<String>) -> String {
    while true {
      guard let id = ids.take(for: Self.key) else { continue }
      if !taken.contains(id), !objects.has(id), !nextIDs.contains(id) { return id }
    }
  }

  private static let key = ObjectIdentifier(SchemalessObject.self)
}
