internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckSockets

/// What the operations act on.
struct AdminContext {
  let proxy: ProxyServer
  let access: PageAccess
  /// That of the admin API.
  let loop: EventLoop
  let background = BackgroundWork()
}

/// A request to the admin API, as its operations see it.
struct AdminRequest {
  private let components: [String: String]
  let query: [String: String]
  let body: JSONValue?
  let context: AdminContext
  var proxy: ProxyServer { context.proxy }
  /// The origin of the listener, by the name that the client used.
  let origin: String
  /// What an interrupted feed was last sent (HTML, Server-sent events §9.2.4).
  let lastEventID: String?

  init(
    _ http: HTTPRequest, components: [String: String], operation: AdminOperation, context: AdminContext
  ) throws(AdminProblem) {
    self.components = components
    self.context = context
    origin = http.adminOrigin ?? ""
    lastEventID = http.fields.text("last-event-id")
    query = try Self.query(http, operation)
    body = try Self.body(http, operation)
  }

  private static func query(
    _ http: HTTPRequest, _ operation: AdminOperation
  ) throws(AdminProblem) -> [String: String] {
    var items: [String: String] = [:]
    for item in (http.query ?? []).split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = decoded(parts[0])
      guard operation.parameters.contains(where: { $0.name == name }) else {
        let known = operation.parameters.map(\.name)
        throw AdminProblem(
          400,
          "unknown parameter \(name.debugDescription)"
            + (known.isEmpty ? "" : "; known are \(known.joined(separator: ", "))"))
      }
      guard items[name] == nil else { throw AdminProblem(400, "the parameter \(name) is given twice") }
      items[name] = parts.count > 1 ? decoded(parts[1]) : ""
    }
    return items
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: PercentCoding.decode(bytes, plusIsSpace: true), as: UTF8.self)
  }

  /// JSON only: a form, which any web page can send, is refused unread.
  private static func body(
    _ http: HTTPRequest, _ operation: AdminOperation
  ) throws(AdminProblem) -> JSONValue? {
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

  /// A parameter of the path.
  func component(_ name: String) -> String { components[name] ?? "" }

  /// Finds what a parameter of the path names.
  func find<Value>(
    _ what: String, by parameter: String = "id", _ find: (String) throws -> Value?
  ) throws -> Value {
    guard let value = try find(component(parameter)) else {
      throw AdminProblem.missing(what, component(parameter))
    }
    return value
  }

  /// The session that the query names, or that of requests that name none.
  func session() throws(AdminProblem) -> Session {
    guard let session = proxy.sessions.existing(query["session"]) else {
      throw .missing("session", query["session"] ?? "")
    }
    return session
  }

  /// A whole number of the query.
  func number(_ name: String) throws(AdminProblem) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), (0...Int(Int32.max)).contains(number),
      text.utf8.allSatisfy(ASCII.isDigit)
    else {
      throw AdminProblem(400, "the parameter \(name) must be a whole number up to \(Int32.max)", place: name)
    }
    return number
  }

  /// The body as an object with no other members than these.
  func object(_ known: String...) throws(JSONProblem) -> StrictObject {
    try StrictObject(body ?? .null, at: .document, known: known)
  }
}
