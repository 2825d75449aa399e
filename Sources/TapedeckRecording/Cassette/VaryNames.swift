import TapedeckHTTP

/// The names of request fields that the `Vary` of a response lists (RFC 9110 §12.5.5), as far as they tell clients apart.
enum VaryNames {
  /// `Accept-Encoding` is the proxy's own, credentials are compared by `ClientIdentity`, and `*` names nothing.
  private static let ignored = Set(
    ["*", "accept-encoding", "authorization", "cookie", "range"].map { Array($0.utf8) })

  static func names(in fields: HTTPFields) -> [[UInt8]] {
    fields.contains("vary") ? names(in: fields.values(of: "vary")) : []
  }

  /// In lower case and in order, each once.
  static func names(in values: [ArraySlice<UInt8>]) -> [[UInt8]] {
    let names = values.flatMap { $0.split { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) } }
      .map { $0.map(ASCII.lowercased) }
    return Set(names).subtracting(ignored).filter { !$0.starts(with: "if-".utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}
