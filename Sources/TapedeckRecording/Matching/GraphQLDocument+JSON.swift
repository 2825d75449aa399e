import TapedeckHTTP

extension GraphQLDocument {
  /// The request of a GraphQL client, or several in a batch, with each `query` that is a document in canonical form;
  /// anything else as it is.
  static func normalized(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      guard let (index, document) = document(in: members),
        let text = JSONString(utf8: document.canonical[...])
      else { return value }
      var normalized = members
      normalized[index].value = .string(text)
      return .object(normalized)
    case .array(let items):
      guard case .object(let members)? = items.first, document(in: members) != nil else { return value }
      return .array(items.map { if case .object = $0 { normalized($0) } else { $0 } })
    default: return value
    }
  }

  /// The document in the member `query`, and where that stands.
  static func document(in members: [JSONMember]) -> (index: Int, document: GraphQLDocument)? {
    guard let index = members.firstIndex(where: { $0.name.isEqual(to: "query") }),
      case .string(let text) = members[index].value, let document = GraphQLDocument(text.decodedBytes)
    else { return nil }
    return (index, document)
  }
}
