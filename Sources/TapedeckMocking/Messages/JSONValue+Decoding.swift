public import TapedeckHTTP

extension JSONValue {
  /// The value as a `Decodable` type. Throws `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try ValueDecoder(self).decode(type) }
}
