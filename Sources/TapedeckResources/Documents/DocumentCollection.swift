internal import TapedeckHTTP
internal import TapedeckMocking

/// All objects of one resource; as a whole it is one entity of the store, so that what holds for entities holds for
/// it: changes happen as a whole or not at all, and nobody waits for one who reads.
struct DocumentCollection: Storable {
  /// Of the resource.
  let id: String
  private var documents = Entities<Document>()
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

  /// The same with these objects and no others.
  func with(_ seeds: [Document]) -> DocumentCollection {
    var collection = self
    collection.documents = Entities()
    for document in beginsWithNewest ? seeds.reversed() : seeds { collection.append(document) }
    return collection
  }

  /// In the order in which they are served.
  var all: [Document] {
    var documents = documents
    _ = documents.close()
    return beginsWithNewest ? documents.list.reversed() : documents.list
  }

  func find(_ id: String) -> Document? { documents.find(id) }

  mutating func append(_ document: Document) {
    notice(document.id)
    documents.append(document, id: document.id)
  }

  mutating func replace(_ document: Document) { _ = documents.replace(document, id: document.id) }

  /// False when there was none.
  mutating func remove(_ id: String) -> Bool { documents.remove(id) != nil }

  /// Counted ids go on behind this one.
  mutating func notice(_ id: String) { ids.notice(id, of: Self.key) }

  mutating func takeID(besides taken: Set<String> = []) -> String {
    while let id = nextIDs.popFirst() { if !taken.contains(id), !documents.has(id) { return id } }
    return takeSeedID(taken)
  }

  /// An id that is none of those kept for new objects.
  mutating func takeSeedID(_ taken: Set<String>) -> String {
    while true {
      guard let id = ids.take(for: Self.key) else { continue }
      if !taken.contains(id), !documents.has(id), !nextIDs.contains(id) { return id }
    }
  }

  private static let key = ObjectIdentifier(Document.self)
}
