internal import TapedeckHTTP

/// One `name=value` of a query or a form.
public struct QueryItem: Sendable, Hashable {
  public var name: String
  /// Nil for a name without `=`.
  public var value: String?

  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }
}

/// Reads queries: items in order, duplicates kept, decoded.
package enum QueryItems {
  /// - Parameter plusIsSpace: as in forms; in a URL, `+` is a plus, as `URLComponents` has it.
  package static func parse(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [QueryItem] {
    Array(text).split(separator: UInt8(ascii: "&")).map { item in
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
        return QueryItem(name: decode(item, plusIsSpace), value: nil)
      }
      return QueryItem(
        name: decode(item[..<equals], plusIsSpace), value: decode(item[(equals + 1)...], plusIsSpace))
    }
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, _ plusIsSpace: Bool) -> String {
    String(decoding: PercentCoding.decode(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
  }
}
