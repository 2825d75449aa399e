internal import TapedeckHTTP
internal import TapedeckUpstream

/// A field that one origin gets with every request, in the place of the client's: credentials that the client need not
/// know. It is never recorded, and its value is redacted wherever it comes back.
public struct UpstreamField: Sendable, Equatable {
  /// The origin, as a URL without a path; `nil` for the only one.
  public var origin: String?
  /// The field's name.
  public var name: String
  /// The field's value.
  public var value: String

  /// Creates one.
  public init(origin: String? = nil, name: String, value: String) {
    self.origin = origin
    self.name = name
    self.value = value
  }

  /// Fields of the connection and the framing, which are never the user's.
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]

  /// Adds it to the fields of an origin, if it is for that.
  func add(to fields: inout HTTPFields, of origin: UpstreamOrigin) throws(UpstreamURLError) {
    guard !Self.reserved.contains(name.lowercased()) else { throw .badField(name) }
    if let url = self.origin {
      guard let wanted = HTTPOrigin(url) else { throw .badFieldOrigin(url) }
      guard wanted == origin.origin else { return }
    }
    do throws(HTTPFieldError) { try fields.append(name, value) } catch { throw .badField(name) }
  }

  /// What is secret about it: the value, and credentials behind a scheme.
  var secrets: [[UInt8]] {
    let words = value.split(separator: " ")
    let all = words.count == 2 ? [value, String(words[1])] : [value]
    return all.filter { $0.utf8.count >= Self.minimumSecretBytes }.map { Array($0.utf8) }
  }

  /// Shorter values would be found in ordinary text.
  private static let minimumSecretBytes = 6
}
