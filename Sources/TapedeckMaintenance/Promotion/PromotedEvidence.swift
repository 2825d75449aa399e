internal import TapedeckHTTP

/// What was seen of one resource.
struct PromotedEvidence {
  struct Seen {
    /// The place of the exchange in the session.
    var index: Int
    var holes: [String]
    var object: PromotedObject?
  }

  struct List {
    var index: Int
    var holes: [String]
    var items: [JSONValue]
    var envelope: [String]
  }

  let template: String
  var lists: [List] = []
  var shows: [Seen] = []
  var creates: [Seen] = []
  var updates: [Seen] = []
  /// The object is the answer's.
  var deletes: [(seen: Seen, id: String)] = []
  /// Requests for what was not there.
  var missing: [(index: Int, id: String)] = []
  /// Changes that were answered with the object around.
  var additions: [Addition] = []

  /// An element that came into a list of an object.
  struct Addition {
    var index: Int
    var holes: [String]
    var kind: PromotedKinds.Key
    var member: String
    var element: PromotedObject
    var isFirstOfSeveral: Bool
    var envelope: [String]
  }

  var isEmpty: Bool { lists.isEmpty && shows.isEmpty && creates.isEmpty && additions.isEmpty }
  var objects: [PromotedObject] { (shows + creates + updates).compactMap(\.object) }

  /// All objects of the list, each with its id.
  static func objects(of items: [JSONValue]) -> [PromotedObject] {
    guard let idMember = PromotedShape.idMember(ofAll: items) else { return [] }
    return items.map {
      PromotedObject(id: $0[idMember]?.idText ?? "", idMember: idMember, value: $0, envelope: [])
    }
  }
}
