import TapedeckHTTP
import TapedeckRedaction

/// The client that sent a request, as far as it tells which of several recorded responses it gets.
struct ClientIdentity: Hashable {
  /// What names the client; `nil` where nothing does.
  var credentials: [UInt8]?
  /// The values of the fields that the responses vary by, in the order of those names.
  var varied: [[UInt8]]

  /// - Parameters:
  ///   - varying: the names of fields that the responses vary by.
  ///   - redaction: what is hidden in the fields before they are compared.
  init(_ request: HTTPRequest, varying: [[UInt8]], _ redaction: Redaction) {
    var named = HTTPFields()
    for (index, field) in request.fields.enumerated() {
      let name = field.name.map(ASCII.lowercased)
      if Self.names.contains(name) || varying.contains(name) { named.append(index, of: request.fields) }
    }
    let fields = redaction.redacted(named)
    credentials = Self.credentials(in: fields)
    varied = varying.map { name in
      var writer = KeyWriter()
      for field in fields where field.name.map(ASCII.lowercased) == name { writer.append(field.value) }
      return writer.bytes
    }
  }

  /// Fields that hold nothing but a client's key.
  private static let keyNames = [
    "api-key", "apikey", "private-token", "x-access-token", "x-api-key", "x-auth-token", "x-goog-api-key",
  ].map { Array($0.utf8) }
  private static let names = Set(keyNames + [Array("authorization".utf8), Array("cookie".utf8)])

  /// `Authorization`, else a key, else the session cookies.
  private static func credentials(in fields: HTTPFields) -> [UInt8]? {
    if let value = fields.first("authorization") { return Authorization.identity(value) }
    for name in keyNames {
      if let field = fields.first(where: { $0.name.map(ASCII.lowercased) == name }) {
        return Array(field.value)
      }
    }
    let cookies = fields.values(of: "cookie").flatMap { $0.split(separator: UInt8(ascii: ";")) }
      .map { Array($0.drop(while: ASCII.isBlank)) }.filter(SessionCookie.isOne)
      .sorted { $0.lexicographicallyPrecedes($1) }
    return cookies.isEmpty ? nil : Array(cookies.joined(separator: [UInt8(ascii: ";")]))
  }
}
