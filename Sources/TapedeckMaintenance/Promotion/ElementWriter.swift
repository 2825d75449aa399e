import TapedeckHTTP

/// Declares a collection whose objects are elements of lists in other objects.
struct ElementWriter {
  private let base: CollectionEvidence
  private let session: PromotedSession
  private let kind: ObjectKinds.Kind
  private let id: String
  private let parent: String

  init(
    _ base: CollectionEvidence, _ session: PromotedSession, _ kind: ObjectKinds.Kind, id: String,
    parent: String
  ) {
    self.base = base
    self.session = session
    self.kind = kind
    self.id = id
    self.parent = parent
  }

  private var made: CreatedObjects {
    let added = base.additions.map { addition in (addition.index, addition.element, addition.parameters.last)
    }
    let created = base.creates.compactMap { seen in seen.object.map { (seen.index, $0, seen.parameters.last) }
    }
    return CreatedObjects(
      all: (added + created).sorted { $0.0 < $1.0 }.map { index, object, parentID in
        .init(sent: session.exchanges[index].sent, object: object, parentID: parentID)
      }, scope: [])
  }

  private var path: String {
    let segments = base.pattern.split(separator: "/").map(String.init)
    let places = segments.indices.filter { segments[$0] == "{}" }
    let parameters = places.map { place in
      let name = PathParameter.singular(place > 0 ? segments[place - 1] : "parent").filter {
        $0.isLetter || $0.isNumber
      }
      return PathParameter(name: place == places.last ? "\(name)Id" : "_\(name)Id", isHidden: false)
    }
    return PathParameter.filled(base.pattern, parameters)
  }

  var resource: PromotedResource {
    let made = made
    let path = path
    let members = JSONValue.members([
      "id": JSONValue(id), "path": JSONValue(path),
      "within": ["resource": JSONValue(parent), "member": JSONValue(kind.member)],
      "idMember": kind.idMember == "id" ? JSONValue?.none : JSONValue(kind.idMember),
      "only": .array(actions.filter { $0.count > 0 }.map { JSONValue($0.name) }), "ids": ids(made),
      "newest": base.additions.contains(where: \.isFirstOfSeveral) ? "first" : JSONValue?.none,
      "nextIDs": .array(unlessEmpty: made.ids), "defaults": .object(unlessEmpty: made.defaults),
      "answers": responses,
    ])
    let seen = ActionCounts.text(actions.map { ($0.name == "index" ? "list" : $0.name, $0.count) })
    return PromotedResource(
      id: id, path: path, declaration: .object(members), confidence: confidence, seen: seen, assumed: [],
      notes: made.notes, objectCount: 0, needs: [parent])
  }

  private func ids(_ made: CreatedObjects) -> JSONValue? {
    let known = made.ids + kind.latest.values.prefix(20).compactMap { $0[kind.idMember] }
    guard let first = known.first, first.text != nil else { return nil }
    return known.allSatisfy { $0.text.map(Self.isUUID) == true } ? "uuid" : "text"
  }

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36 && text.utf8.count { $0 == UInt8(ascii: "-") } == 4
  }

  private var responses: JSONValue? {
    .object(unlessEmpty: JSONValue.members(["create": createResponse, "delete": deleteResponse]))
  }

  private var createResponse: JSONValue? {
    if let addition = base.additions.first, let response = session.exchanges[addition.index].response {
      let body = ResponseTemplates.replacing(addition.envelope, in: response, with: "parent")
      return ResponseTemplates.action(session.exchanges[addition.index].status, usual: 201, body: body)
    }
    return base.creates.first.flatMap {
      ResponseTemplates.action(session.exchanges[$0.index].status, usual: 201, body: nil)
    }
  }

  private var deleteResponse: JSONValue? {
    guard let delete = base.deletes.first else { return nil }
    let exchange = session.exchanges[delete.seen.index]
    guard let response = exchange.response else {
      return ResponseTemplates.action(exchange.status, usual: 204, body: nil)
    }
    let around = delete.seen.parameters.last
    let object = ObjectFinder.object(in: response, id: around)
    let body =
      if let object, object.id == around {
        ResponseTemplates.replacing(object.envelope, in: response, with: "parent")
      } else { ResponseTemplates.replacing(id: delete.id, in: response) }
    return ResponseTemplates.action(exchange.status, usual: 204, body: body)
  }

  private var actions: [(name: String, count: Int)] {
    [
      ("index", base.lists.count), ("show", base.shows.count),
      ("create", base.creates.count + base.additions.count), ("update", base.updates.count),
      ("delete", base.deletes.count),
    ]
  }

  private var confidence: Double {
    var sum = 0.4
    if !base.additions.isEmpty { sum += 0.3 }
    for action in actions where action.count > 0 { sum += 0.15 }
    return min(sum, 1)
  }
}
