internal import TapedeckHTTP

/// As the JSON that `json` tells, for any coder.
extension MockRoute: Codable {
  public init(from decoder: any Decoder) throws {
    do throws(MockRouteError) { self = try MockRoute(try CodedJSON.orThrow(decoder)) } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)"))
    }
  }

  public func encode(to encoder: any Encoder) throws { try CodedJSON(value: json).encode(to: encoder) }
}
