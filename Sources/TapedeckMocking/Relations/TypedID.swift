/// How a polymorphic relation names an entity.
struct TypedID: Codable {
  let type: String
  let id: String

  init(_ key: EntityKey, among types: [any Storable.Type]) {
    type = types.first { ObjectIdentifier($0) == key.type }.map { "\($0)" } ?? ""
    id = key.id
  }

  static func decodeIfPresent(from decoder: any Decoder) throws -> TypedID? {
    let container = try decoder.singleValueContainer()
    return container.decodeNil() ? nil : try container.decode(TypedID.self)
  }

  func key(among types: [any Storable.Type], _ decoder: any Decoder) throws -> EntityKey {
    guard let found = types.first(where: { "\($0)" == type }) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\(type) is none of \(types.listed)"))
    }
    return EntityKey(ObjectIdentifier(found), id)
  }
}

extension [any Storable.Type] {
  /// Like `Post or Comment`.
  var listed: String { map { "\($0)" }.joined(separator: " or ") }
}
