internal import TapedeckHTTP

/// Writes a collection whose objects are elements of lists in other objects.
struct PartWriter {
  private let base: PromotedEvidence
  private let session: PromotedSession
  private let kind: PromotedKinds.Kind
  private let id: String
  private let parent: String

  init(
    _ base: PromotedEvidence, _ session: PromotedSession, _ kind: PromotedKinds.Kind, id: String,
    parent: String
  ) {
    self.base = base
    self.session = session
    self.kind = kind
    self.id = id
    self.parent = parent
  }

  private var made: NewObjects {
    let added = base.additions.map { addition in
      (addition.index, addition.element, addition.holes.last)
    }
    let created = base.creates.compactMap { seen in seen.object.map { (seen.index, $0, seen.holes.last) } }
    return NewObjects(
      all: (added + created).sorted { $0.0 < $1.0 }.map { index, object, parentID in
        .init(sent: session.exchanges[index].sent, object: object, parentID: parentID)
      }, scope: [])
  }

  private var path: String {
    let steps = base.template.split(separator: "/").map(String.init)
    let places = steps.indices.filter { steps[$0] == "{}" }
    let holes = places.map { place in
      let name = Singular.of(place > 0 ? steps[place - 1] : "parent").filter { $0.isLetter || $0.isNumber }
      return PathHole(name: place == places.last ? "\(name)Id" : "_\(name)Id", isHidden: false)
    }
    return PathHole.filled(base.template, holes)
  }

  var resource: PromotedResource {
    let made = made
    var members: [JSONMember] = [
      JSONMember("id", JSONValue(id)), JSONMember("path", JSONValue(path)),
      JSONMember("within", ["resource": JSONValue(parent), "member": JSONValue(kind.member)]),
    ]
    func add(_ name: JSONString, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    add("idMember", kind.idMember == "id" ? JSONValue?.none : JSONValue(kind.idMember))
    add("only", .array(actions.filter { $0.1 > 0 }.map { JSONValue($0.0) }))
    add("ids", ids(made))
    add("newest", base.additions.contains(where: \.isFirstOfSeveral) ? "first" : JSONValue?.none)
    add("nextIDs", made.ids.isEmpty ? JSONValue?.none : .array(made.ids))
    add("defaults", made.defaults.isEmpty ? JSONValue?.none : .object(made.defaults))
    add("answers", answers)
    return PromotedResource(
      id: id, path: path, declaration: .object(members), confidence: confidence, seen: seen, assumed: [],
      notes: notes(made), objectCount: 0, needs: [parent])
  }

  private func ids(_ made: NewObjects) -> JSONValue? {
    let known = made.ids + kind.latest.values.prefix(20).compactMap { $0[kind.idMember] }
    guard let first = known.first, first.text != nil else { return nil }
    return known.allSatisfy { $0.text.map(Self.isUUID) == true } ? "uuid" : "text"
  }

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36 && text.utf8.count { $0 == UInt8(ascii: "-") } == 4
  }

  private var answers: JSONValue? {
    var members: [JSONMember] = []
    func add(_ name: JSONString, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    if let addition = base.additions.first, let answer = session.exchanges[addition.index].answer {
      let body = AnswerTemplates.replacing(addition.envelope, in: answer, with: "parent")
      let status = session.exchanges[addition.index].status
      add("create", AnswerTemplates.action(status, usual: 201, body: body))
    } else if let create = base.creates.first {
      add("create", AnswerTemplates.action(session.exchanges[create.index].status, usual: 201, body: nil))
    }
    if let delete = base.deletes.first {
      let exchange = session.exchanges[delete.seen.index]
      let around = delete.seen.holes.last
      let object = exchange.answer.flatMap { PromotedShape.object(in: $0, id: around) }
      var body = exchange.answer.map { AnswerTemplates.replacing(id: delete.id, in: $0) }
      if let object, object.id == around, let answer = exchange.answer {
        body = AnswerTemplates.replacing(object.envelope, in: answer, with: "parent")
      }
      add("delete", AnswerTemplates.action(exchange.status, usual: 204, body: body))
    }
    return members.isEmpty ? JSONValue?.none : .object(members)
  }

  private var actions: [(String, Int)] {
    [
      ("index", base.lists.count), ("show", base.shows.count),
      ("create", base.creates.count + base.additions.count), ("update", base.updates.count),
      ("delete", base.deletes.count),
    ]
  }

  private var seen: [String] {
    actions.filter { $0.1 > 0 }.map { name, count in
      let word = name == "index" ? "list" : name
      return count == 1 ? word : "\(word) ×\(count)"
    }
  }

  private var confidence: Double {
    var sum = 0.4
    if !base.additions.isEmpty { sum += 0.3 }
    for (_, count) in actions where count > 0 { sum += 0.15 }
    return min(sum, 1)
  }

  private func notes(_ made: NewObjects) -> [String] {
    made.varying.isEmpty
      ? []
      : [
        "new objects get the first recorded \(made.varying.joined(separator: ", ")), which changed in the recording"
      ]
  }
}
