internal import TapedeckHTTP

/// `tapedeck ctl events`: the requests of a running proxy as they come.
enum FollowedRequests {
  /// Prints events until the proxy ends, or until nobody reads them any more.
  /// - Parameter words: at most `after=ID`.
  static func run(_ words: ArraySlice<String>, of admin: RunningAdmin, asJSON: Bool) throws {
    var target = "/v1/events"
    if let word = words.first {
      guard words.count == 1, word.hasPrefix("after="), let id = Int(word.dropFirst("after=".count)) else {
        throw UsageError(
          "events takes after=ID at most, not \(words.joined(separator: " ").debugDescription)")
      }
      target += "?after=\(id)"
    }
    let isForPeople = !asJSON && Terminal.outputColumns != nil
    try admin.follow(target) { event in
      Terminal.out(isForPeople ? text(event) : lines(event))
      return Terminal.outputError == nil
    }
  }

  /// A line of JSON for each request, state and gap.
  private static func lines(_ event: StreamEvent) -> String {
    guard let data = try? JSONValue(parsing: event.data ?? []) else { return "" }
    let name = String(decoding: event.name, as: UTF8.self)
    let (member, all) = name == "requests" ? ("request", data.array ?? []) : (name, [data])
    return all.map { line(.object([JSONMember(JSONString(member), $0)])) }.joined()
  }

  private static func line(_ json: JSONValue) -> String {
    String(decoding: Printable.json(json.bytes()), as: UTF8.self) + "\n"
  }

  private static func text(_ event: StreamEvent) -> String {
    guard let data = try? JSONValue(parsing: event.data ?? []) else { return "" }
    switch String(decoding: event.name, as: UTF8.self) {
    case "requests":
      return (data.array ?? []).map { request in
        let names = ["started", "method", "target", "status", "source", "why"]
        let words = names.map { name in
          let value = request[name] ?? .null
          return (name == "target" ? request["origin"]?.text ?? "" : "") + (value.text ?? value.description)
        }
        return Printable.line(words.joined(separator: "  ")) + "\n"
      }.joined()
    case "gap": return "\(data["count"]?.int ?? 0) requests are missing\n".painted(.yellow)
    default: return ""
    }
  }
}
