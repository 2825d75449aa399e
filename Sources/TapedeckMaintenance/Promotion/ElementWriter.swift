import TapedeckFormats
import TapedeckHTTP

/// Writes the declaration of a collection whose objects are elements of lists in other objects.
struct ElementWriter {
  let base: CollectionEvidence
  let kind: ObjectKind
  let id: String
  /// The id of the resource around it.
  let parent: String

  var resource: PromotedResource {
    let made = CreatedObjects(
      (base.additions + base.creates).sorted { $0.exchange.index < $1.exchange.index })
    let path = PathParameter.filled(base.pattern, PathParameter.leading(to: base.pattern))
    let actions = actions.filter { $0.count > 0 }
    let isFirst = base.additions.contains(where: \.isFirstOfSeveral)
    let declaration = JSONValue.object(of: [
      "id": JSONValue(id), "path": JSONValue(path),
      "within": ["resource": JSONValue(parent), "member": JSONValue(kind.member)],
      "idMember": kind.idMember == "id" ? JSONValue?.none : JSONValue(kind.idMember),
      "only": .array(actions.map { JSONValue($0.name) }), "ids": ids(made),
      "newest": isFirst ? "first" : JSONValue?.none,
      "nextIDs": JSONValue.array(made.ids).unlessEmpty,
      "defaults": JSONValue.object(made.defaults).unlessEmpty,
      "answers": JSONValue.object(of: ["create": createResponse, "delete": deleteResponse]).unlessEmpty,
    ])
    let sum = 0.4 + (base.additions.isEmpty ? 0 : 0.3)
    return PromotedResource(
      id: id, path: path, declaration: declaration,
      confidence: min(actions.reduce(sum) { confidence, _ in confidence + 0.15 }, 1),
      seen: PromotedResource.text(actions.map { ($0.name == "index" ? "list" : $0.name, $0.count) }),
      notes: made.notes, needs: [parent])
  }

  private var actions: [(name: String, count: Int)] {
    [
      ("index", base.lists.count), ("show", base.shows.count),
      ("create", base.creates.count + base.additions.count), ("update", base.updates.count),
      ("delete", base.deletes.count),
    ]
  }

  private func ids(_ made: CreatedObjects) -> JSONValue? {
    let known = made.ids + kind.latest.values.prefix(20).compactMap { $0[kind.idMember] }
    guard let first = known.first, first.text != nil else { return nil }
    let areUUIDs = known.allSatisfy { id in
      let text = id.text?.utf8
      return text?.count == 36 && text?.count { $0 == UInt8(ascii: "-") } == 4
    }
    return areUUIDs ? "uuid" : "text"
  }

  private var createResponse: JSONValue? {
    if let addition = base.additions.first, let response = addition.exchange.response {
      let body = response.replacing(addition.envelope, with: "parent")
      return JSONValue.action(addition.exchange.status, usual: 201, body: body)
    }
    return base.creates.first.flatMap { JSONValue.action($0.exchange.status, usual: 201, body: nil) }
  }

  private var deleteResponse: JSONValue? {
    guard let delete = base.deletes.first else { return nil }
    let around = delete.parameters.last
    let body = delete.exchange.response.map { response in
      if let object = FoundObject(in: response, id: around), object.id == around {
        response.replacing(object.envelope, with: "parent")
      } else {
        response.replacing(id: delete.id ?? "")
      }
    }
    return JSONValue.action(delete.exchange.status, usual: 204, body: body)
  }
}
