package import TapedeckHTTP
package import TapedeckRecording

/// A resource inferred from a recorded session.
package struct PromotedResource: Sendable {
  package var id: String
  package var path: String
  package var declaration: JSONValue
  /// The share of a collection's actions that were seen, from 0 to 1.
  package var confidence: Double
  /// The actions that were seen, such as `list ×2`.
  package var seen: [String] = []
  package var assumed: [String] = []
  package var notes: [String] = []
  package var objectCount = 0
  /// The ids of resources that it depends on.
  var needs: [String] = []

  /// The count of each action, for people.
  static func text(_ actions: [(name: String, count: Int)]) -> [String] {
    actions.filter { $0.count > 0 }.map { $0.count == 1 ? $0.name : "\($0.name) ×\($0.count)" }
  }
}

/// Infers the resources of an origin from a session, and declares them.
package struct Promotion: Sendable {
  /// In the order of the session.
  let exchanges: [PromotedExchange]
  private(set) var resources: [PromotedResource] = []
  /// The resources' ids by the kinds of their objects.
  private var ids: [ObjectKind.Key: String] = [:]
  private var taken: Set<String> = []

  /// - Parameter host: the only host for which the resources respond; `nil` for any.
  package init(_ interactions: [StoredInteraction], host: String? = nil) {
    self.init(interactions.map { PromotedExchange($0.interaction, file: $0.fileName) })
    guard let host else { return }
    for index in resources.indices {
      guard case .object(let members) = resources[index].declaration else { continue }
      let when = JSONMember(JSONString("when"), ["host": JSONValue(host)])
      resources[index].declaration = .object(members.prefix(2) + [when] + members.dropFirst(2))
    }
  }

  init(_ exchanges: [PromotedExchange]) {
    let session = PromotedSession(exchanges)
    self.exchanges = session.exchanges
    let bases = session.evidence.values.filter { !$0.isEmpty }.sorted { $0.pattern < $1.pattern }
    let roots = bases.filter { session.embedded[$0.pattern] == nil && session.aliases[$0.pattern] == nil }
    let parts = bases.compactMap { part in session.embedded[part.pattern].map { (part: part, key: $0) } }
    for root in roots { name(root.pattern, after: root.pattern) }
    for (part, key) in parts where ids[key] == nil { name(key, after: part.pattern) }
    for root in roots {
      resources.append(CollectionWriter(root, session, id: ids[root.pattern] ?? "").resource)
    }
    for (part, key) in parts {
      guard let kind = session.kinds[key], let parent = kind.parent, let owner = owner(parent, session) else {
        continue
      }
      var id = ids[key] ?? "part"
      if resources.contains(where: { $0.id == id }) { id = unusedID(id) }
      resources.append(ElementWriter(base: part, kind: kind, id: id, parent: owner).resource)
    }
  }

  /// Names a resource by the last segment of its path that is not a parameter.
  private mutating func name(_ key: ObjectKind.Key, after pattern: String) {
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

  private mutating func unusedID(_ id: String) -> String {
    var number = 2
    while !taken.insert("\(id)-\(number)").inserted { number += 1 }
    return "\(id)-\(number)"
  }

  /// The resource of a kind, which is declared without actions if no path serves it.
  private mutating func owner(_ key: ObjectKind.Key, _ session: PromotedSession) -> String? {
    if let id = ids[key] { return id }
    guard let kind = session.kinds[key], let parent = kind.parent, let owner = owner(parent, session) else {
      return nil
    }
    name(key, after: "/\(kind.member)")
    guard let id = ids[key] else { return nil }
    let path = "/\(owner)/{\(PathParameter.singular(owner))Id}/\(kind.member)"
    let declaration: JSONValue = [
      "id": JSONValue(id), "path": JSONValue(path), "only": [],
      "within": ["resource": JSONValue(owner), "member": JSONValue(kind.member)],
    ]
    resources.append(
      PromotedResource(
        id: id, path: path, declaration: declaration, confidence: 1,
        notes: ["has no actions of its own: other resources are within it"], needs: [owner]))
    return id
  }
}
