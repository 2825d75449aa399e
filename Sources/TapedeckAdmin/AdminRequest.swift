internal import TapedeckHTTP
internal import TapedeckProxy

/// A request to the admin API, as its operations see it.
struct AdminRequest {
  let components: [String: String]
  let query: [String: String]
  /// The body; nil where there is none.
  let body: JSONValue?
  let proxy: ProxyServer
  private let http: HTTPRequest

  init(_ http: HTTPRequest, components: [String: String], operation: AdminOperation, proxy: ProxyServer)
    throws
  {
    self.http = http
    self.components = components
    self.proxy = proxy
    query = try Self.query(http, operation)
    body = try Self.body(http, operation)
  }

  private static func query(_ http: HTTPRequest, _ operation: AdminOperation) throws(AdminProblem) -> [String:
    String]
  {
    var items: [String: String] = [:]
    let text = http.query ?? []
    for item in text.split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = decoded(parts[0])
      guard operation.parameters.contains(where: { $0.name == name }) else {
        let known = operation.parameters.map(\.name)
        throw AdminProblem(
          400,
          "unknown parameter \(name.debugDescription)"
            + (known.isEmpty ? "" : "; known are \(known.joined(separator: ", "))"))
      }
      guard items[name] == nil else { throw AdminProblem(400, "the parameter \(name) is there twice") }
      items[name] = parts.count > 1 ? decoded(parts[1]) : ""
    }
    return items
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: PercentCoding.decode(bytes, plusIsSpace: true), as: UTF8.self)
  }

  /// JSON and nothing else: a form, which any page can send, is refused before it is looked at.
  private static func body(_ http: HTTPRequest, _ operation: AdminOperation) throws(AdminProblem)
    -> JSONValue?
  {
    guard operation.body != nil else {
      guard http.body.isEmpty else { throw AdminProblem(400, "this takes no body") }
      return nil
    }
    let types = http.fields.values(of: "content-type")
    let type = types.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
    let essence = type.prefix { $0 != ";" }.split(separator: " ").first ?? ""
    guard types.count == 1, essence == "application/json" else {
      throw AdminProblem(415, "the body must be application/json")
    }
    do { return try JSONValue(parsing: http.body, maximumDepth: 64) } catch {
      throw AdminProblem(400, "the body is not JSON: \(error)")
    }
  }

  /// A component of the path, which is there.
  func component(_ name: String) -> String { components[name] ?? "" }

  /// The session that the request is about.
  func session() throws(AdminProblem) -> Session {
    guard let session = proxy.sessions.existing(query["session"]) else {
      throw AdminProblem(404, "there is no session \((query["session"] ?? "").debugDescription)")
    }
    return session
  }

  /// A whole number among the parameters.
  func number(_ name: String) throws(AdminProblem) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), (0...Int(Int32.max)).contains(number),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw AdminProblem(400, "the parameter \(name) must be a whole number up to \(Int32.max)", place: name)
    }
    return number
  }

  /// The members of the body, which is an object with no others than these.
  func members(_ known: [String]) throws(AdminProblem) -> [String: JSONValue] {
    guard let members = body?.members else { throw AdminProblem(400, "the body must be an object") }
    var found: [String: JSONValue] = [:]
    for member in members {
      let name = member.name.text
      guard known.contains(name) else {
        throw AdminProblem(
          400, "unknown member \(name.debugDescription); known are \(known.joined(separator: ", "))",
          place: name)
      }
      guard found.updateValue(member.value, forKey: name) == nil else {
        throw AdminProblem(400, "the member \(name) is there twice", place: name)
      }
    }
    return found
  }
}
