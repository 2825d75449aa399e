import TapedeckHTTP

/// The objects that a session created: what they have beside the members that were sent.
struct CreatedObjects {
  struct Created {
    var sent: JSONValue?
    var object: FoundObject
    /// The id of what it was made in.
    var parentID: String?
  }

  let all: [Created]
  /// Members that the path gives.
  let scope: Set<String>

  var ids: [JSONValue] { all.compactMap { $0.object.value[$0.object.idMember] } }

  /// The members of the first one that were not sent.
  var defaults: [JSONMember] {
    guard let first = all.first else { return [] }
    return unsent(first).map { JSONMember($0.name, Self.general($0.value, $0.name.text, first)) }
  }

  private func unsent(_ made: Created) -> [JSONMember] {
    let sent = made.sent?.names ?? []
    let inner = made.sent?.members?.count == 1 ? made.sent?.members?.first?.value.names ?? [] : []
    return (made.object.value.members ?? []).filter { member in
      let name = member.name.text
      return name != made.object.idMember && !sent.contains(name) && !inner.contains(name)
        && !scope.contains(name)
    }
  }

  /// A value with places in it for what differs from object to object.
  private static func general(_ value: JSONValue, _ name: String, _ made: Created) -> JSONValue {
    switch value {
    case .array(let items): return .array(items.map { general($0, name, made) })
    case .object(let members):
      return .object(members.map { JSONMember($0.name, general($0.value, $0.name.text, made)) })
    default:
      guard let text = value.idText else { return value }
      let isID = name.lowercased().hasSuffix("id")
      if text == made.object.id, isID || text.utf8.count > 2 { return "{{id}}" }
      if text == made.parentID, isID || text.utf8.count > 2 { return "{{parent.id}}" }
      if case .string = value, text.hasSuffix("/\(made.object.id)") {
        return JSONValue(text.dropLast(made.object.id.count) + "{{id}}")
      }
      return value
    }
  }

  /// The names of those that were not the same for all.
  var varying: [String] {
    guard all.count > 1, let first = all.first else { return [] }
    let values = all.dropFirst().map { made in
      JSONValue.object(unsent(made).map { JSONMember($0.name, Self.general($0.value, $0.name.text, made)) })
    }
    return unsent(first).map(\.name.text).filter { name in
      let own = JSONValue.object(defaults)[name]
      return values.contains { $0[name] != own }
    }
  }

  var notes: [String] {
    varying.isEmpty
      ? []
      : [
        "new objects get the first recorded \(varying.joined(separator: ", ")), which changed in the recording"
      ]
  }
}
