internal import TapedeckHTTP

/// Writes what was seen of resources as declarations.
struct PromotionWriter {
  let session: PromotedSession
  /// The resources' ids by the kinds of their objects.
  private var ids: [PromotedKinds.Key: String] = [:]
  private var taken: Set<String> = []
  private var written: [PromotedResource] = []

  init(_ session: PromotedSession) { self.session = session }

  mutating func write() -> [PromotedResource] {
    let bases = session.evidence.values.filter { !$0.isEmpty }.sorted { $0.template < $1.template }
    let roots = bases.filter { session.embedded[$0.template] == nil && session.aliases[$0.template] == nil }
    for root in roots { name(root.template, after: root.template) }
    let parts = bases.filter { session.embedded[$0.template] != nil }
    for part in parts {
      guard let key = session.embedded[part.template], ids[key] == nil else { continue }
      name(key, after: part.template)
    }
    for root in roots { written.append(RootWriter(root, session, id: ids[root.template] ?? "").resource) }
    for part in parts { write(part) }
    return written
  }

  /// A resource's id is the last step of its path that is no hole.
  private mutating func name(_ key: PromotedKinds.Key, after template: String) {
    let steps = template.split(separator: "/").filter { $0 != "{}" }.map { step in
      String(step.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-" })
    }
    var id = steps.last.map { String($0.prefix(60)) } ?? "objects"
    if taken.contains(id), steps.count > 1 { id = "\(steps[steps.count - 2].prefix(30))-\(id)" }
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(id)-\(number)"
      number += 1
    }
    ids[key] = id
  }

  private mutating func write(_ part: PromotedEvidence) {
    guard let key = session.embedded[part.template], let kind = session.kinds[key], let parent = kind.parent
    else { return }
    let owner = owner(parent)
    guard let owner else { return }
    let own = written.contains { $0.id == ids[key] } ? unusedID(ids[key] ?? "part") : ids[key] ?? "part"
    written.append(PartWriter(part, session, kind, id: own, parent: owner).resource)
  }

  private mutating func unusedID(_ id: String) -> String {
    var number = 2
    while !taken.insert("\(id)-\(number)").inserted { number += 1 }
    return "\(id)-\(number)"
  }

  /// The resource of a kind; one that no path is about is declared without any.
  private mutating func owner(_ key: PromotedKinds.Key) -> String? {
    if let id = ids[key] { return id }
    guard let kind = session.kinds[key], let parent = kind.parent, let owner = owner(parent) else {
      return nil
    }
    name(key, after: "/\(kind.member)")
    guard let id = ids[key] else { return nil }
    let path = "/\(owner)/{\(Singular.of(owner))Id}/\(kind.member)"
    let declaration: JSONValue = [
      "id": JSONValue(id), "path": JSONValue(path), "only": [],
      "within": ["resource": JSONValue(owner), "member": JSONValue(kind.member)],
    ]
    written.append(
      PromotedResource(
        id: id, path: path, declaration: declaration, confidence: 1, seen: [], assumed: [],
        notes: ["serves no path: other resources are within it"], objectCount: 0, needs: [owner]))
    return id
  }
}

/// English words in the singular, as far as names of holes need it.
enum Singular {
  static func of(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    if word.hasSuffix("ses") || word.hasSuffix("xes") || word.hasSuffix("ches") {
      return String(word.dropLast(2))
    }
    return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
  }
}
