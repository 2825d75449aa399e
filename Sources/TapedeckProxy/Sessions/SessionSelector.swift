internal import TapedeckHTTP
internal import TapedeckMocking

/// How a request says which session it belongs to. What says so is taken out of the request before anyone else sees it.
public enum SessionSelector: Sendable, Equatable {
  /// The value of a header field.
  case header(String)
  /// The path segment after a prefix: `/session` makes `/session/NAME/users` a request for `/users`.
  case path(String)
  /// The user name of `Proxy-Authorization: Basic` (RFC 9110 §11.7.2), as clients send it to a proxy whose URL has one.
  case proxyUser

  enum Selection: Equatable {
    /// No session is named: the default one.
    case none(HTTPRequest)
    case named(String, HTTPRequest)
    /// The problem with the name.
    case refused(String)
  }

  func select(_ request: HTTPRequest) -> Selection {
    switch self {
    case .header(let name): Self.header(name, request)
    case .path(let prefix): Self.path(prefix, request)
    case .proxyUser: Self.proxyUser(request)
    }
  }

  private static func named(_ name: String, _ request: HTTPRequest) -> Selection {
    guard Session.isValid(name) else {
      return .refused("\(name.prefix(200).debugDescription) is no name of a session: \(Session.nameRule)")
    }
    return .named(name, request)
  }

  private static func header(_ name: String, _ request: HTTPRequest) -> Selection {
    let values = HeaderFields(request.fields).values(of: name)
    guard let value = values.first else { return .none(request) }
    guard values.count == 1 else { return .refused("the field \(name) is there \(values.count) times") }
    var request = request
    let lowercased = name.lowercased()
    request.fields.removeAll { String(decoding: $0.name, as: UTF8.self).lowercased() == lowercased }
    return named(value, request)
  }

  private static func path(_ prefix: String, _ request: HTTPRequest) -> Selection {
    let start = Array(prefix.utf8) + [UInt8(ascii: "/")]
    guard request.target.starts(with: start) else { return .none(request) }
    let rest = request.target.dropFirst(start.count)
    let name = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    var request = request
    let target = rest.dropFirst(name.count)
    request.target = target.first == UInt8(ascii: "/") ? Array(target) : [UInt8(ascii: "/")] + target
    return named(String(decoding: PercentCoding.decode(name), as: UTF8.self), request)
  }

  private static func proxyUser(_ request: HTTPRequest) -> Selection {
    guard let value = request.fields.text("proxy-authorization") else { return .none(request) }
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "basic",
      let decoded = Base64.decode(Array(words[1].utf8))
    else { return .refused("Proxy-Authorization must be Basic with the name of the session as its user") }
    var request = request
    request.fields.removeAll("proxy-authorization")
    return named(String(decoding: decoded.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self), request)
  }
}
