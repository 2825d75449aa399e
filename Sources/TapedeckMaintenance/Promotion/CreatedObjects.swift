import TapedeckHTTP

/// The objects that a session created, and the members that their origin added.
struct CreatedObjects {
  private let all: [(seen: CollectionEvidence.Seen, object: FoundObject)]
  /// Members whose values are in the path.
  private let scope: Set<String>

  init(_ all: [CollectionEvidence.Seen], scope: Set<String> = []) {
    self.all = all.compactMap { seen in seen.object.map { (seen, $0) } }
    self.scope = scope
  }

  var ids: [JSONValue] { all.compactMap { $0.object.value[$0.object.idMember] } }

  /// The members of the first one that were not sent, with placeholders for what differs from object to object.
  var defaults: [JSONMember] { all.first.map { unsent($0.seen, $0.object) } ?? [] }

  private func unsent(_ seen: CollectionEvidence.Seen, _ object: FoundObject) -> [JSONMember] {
    let sent = seen.exchange.sent
    let inner = sent?.members?.count == 1 ? sent?.members?.first?.value.names ?? [] : []
    let given = scope.union(inner).union(sent?.names ?? []).union([object.idMember])
    return (object.value.members ?? []).filter { !given.contains($0.name.text) }.map {
      Self.general($0, object.id, parentID: seen.parameters.last)
    }
  }

  private static func general(_ member: JSONMember, _ id: String, parentID: String?) -> JSONMember {
    let isID = member.name.text.lowercased().hasSuffix("id")
    func general(_ value: JSONValue) -> JSONValue {
      switch value {
      case .array(let items): return .array(items.map(general))
      case .object(let members): return .object(members.map { Self.general($0, id, parentID: parentID) })
      default:
        guard let text = value.idText else { return value }
        if text == id, isID || text.utf8.count > 2 { return "{{id}}" }
        if text == parentID, isID || text.utf8.count > 2 { return "{{parent.id}}" }
        guard case .string = value, text.hasSuffix("/\(id)") else { return value }
        return JSONValue(text.dropLast(id.count) + "{{id}}")
      }
    }
    return JSONMember(member.name, general(member.value))
  }

  var notes: [String] {
    let own = JSONValue.object(defaults)
    let others = all.dropFirst().map { JSONValue.object(unsent($0.seen, $0.object)) }
    let varying = defaults.map(\.name.text).filter { name in others.contains { $0[name] != own[name] } }
    guard !varying.isEmpty else { return [] }
    return [
      "new objects get the first recorded \(varying.joined(separator: ", ")), which changed in the recording"
    ]
  }
}
