package import TapedeckHTTP
package import TapedeckRecording

/// A resource inferred from a recorded session.
package struct PromotedResource: Sendable {
  package var id: String
  package var path: String
  /// As an overrides file has it.
  package var declaration: JSONValue
  /// From 0 to 1: how much of a collection was seen.
  package var confidence: Double
  /// What was seen, in words: `2 lists`, `1 create`.
  package var seen: [String]
  /// What is assumed.
  package var assumed: [String]
  /// What a person should know.
  package var notes: [String]
  /// How many objects it begins with.
  package var objectCount: Int
  /// The ids of resources that it stands on.
  package var needs: [String]
}

/// Infers from a session the resources that its origin kept.
package struct Promotion: Sendable {
  /// In the order in which the session happened.
  package let exchanges: [PromotedExchange]
  package let resources: [PromotedResource]

  package init(_ exchanges: [PromotedExchange]) {
    let session = PromotedSession(exchanges)
    self.exchanges = session.exchanges
    var writer = DeclarationWriter(session)
    resources = writer.write()
  }

  package init(_ cassette: Cassette) {
    self.init(cassette.answers.map { PromotedExchange($0.interaction, file: $0.fileName) })
  }
}

/// Writes what was seen of resources as declarations.
private struct DeclarationWriter {
  let session: PromotedSession
  /// The resources' ids by the kinds of their objects.
  private var ids: [ObjectKinds.Key: String] = [:]
  private var taken: Set<String> = []
  private var written: [PromotedResource] = []

  init(_ session: PromotedSession) { self.session = session }

  mutating func write() -> [PromotedResource] {
    let bases = session.evidence.values.filter { !$0.isEmpty }.sorted { $0.pattern < $1.pattern }
    let roots = bases.filter { session.embedded[$0.pattern] == nil && session.aliases[$0.pattern] == nil }
    for root in roots { name(root.pattern, after: root.pattern) }
    let parts = bases.filter { session.embedded[$0.pattern] != nil }
    for part in parts {
      guard let key = session.embedded[part.pattern], ids[key] == nil else { continue }
      name(key, after: part.pattern)
    }
    for root in roots {
      written.append(CollectionWriter(root, session, id: ids[root.pattern] ?? "").resource)
    }
    for part in parts { write(part) }
    return written
  }

  /// Names a resource by the last segment of its path that is no parameter.
  private mutating func name(_ key: ObjectKinds.Key, after pattern: String) {
    let segments = pattern.split(separator: "/").filter { $0 != "{}" }.map { segment in
      String(segment.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-" })
    }
    var id = segments.last.map { String($0.prefix(60)) } ?? "objects"
    if taken.contains(id), segments.count > 1 { id = "\(segments[segments.count - 2].prefix(30))-\(id)" }
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(id)-\(number)"
      number += 1
    }
    ids[key] = id
  }

  private mutating func write(_ part: CollectionEvidence) {
    guard let key = session.embedded[part.pattern], let kind = session.kinds[key], let parent = kind.parent
    else { return }
    let owner = owner(parent)
    guard let owner else { return }
    let own = written.contains { $0.id == ids[key] } ? unusedID(ids[key] ?? "part") : ids[key] ?? "part"
    written.append(ElementWriter(part, session, kind, id: own, parent: owner).resource)
  }

  private mutating func unusedID(_ id: String) -> String {
    var number = 2
    while !taken.insert("\(id)-\(number)").inserted { number += 1 }
    return "\(id)-\(number)"
  }

  /// The resource of a kind; one that no path is about is declared without any.
  private mutating func owner(_ key: ObjectKinds.Key) -> String? {
    if let id = ids[key] { return id }
    guard let kind = session.kinds[key], let parent = kind.parent, let owner = owner(parent) else {
      return nil
    }
    name(key, after: "/\(kind.member)")
    guard let id = ids[key] else { return nil }
    let path = "/\(owner)/{\(PathParameter.singular(owner))Id}/\(kind.member)"
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
