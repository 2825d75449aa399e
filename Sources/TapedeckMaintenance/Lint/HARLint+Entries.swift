import TapedeckFormats
import TapedeckHTTP

/// Checks entries: the members they must have, their types, and what their texts say about them.
extension HARLint {
  mutating func checkEntry(_ entry: JSONValue) {
    checkObject(entry, "", Self.entryMembers)
    if let time = entry["startedDateTime"]?.text, ImportedTime.iso8601(time) == nil {
      add(.error, "startedDateTime", "is no time of ISO 8601")
    }
    checkRequest(entry["request"] ?? .null)
    checkResponse(entry["response"] ?? .null)
    checkTimings(entry)
  }

  // MARK: Members

  private enum Kind: String {
    case text = "a text"
    case number = "a number"
    case object = "an object"
    case array = "an array"

    func fits(_ value: JSONValue) -> Bool {
      switch (self, value) {
      case (.text, .string), (.number, .number), (.object, .object), (.array, .array): true
      default: false
      }
    }
  }

  private struct Members {
    var required: [(name: String, kind: Kind)]
    var optional: Set<String> = []
  }

  private static let entryMembers = Members(
    required: [
      ("startedDateTime", .text), ("time", .number), ("request", .object), ("response", .object),
      ("cache", .object), ("timings", .object),
    ], optional: ["pageref", "serverIPAddress", "connection"])
  private static let requestMembers = Members(
    required: [
      ("method", .text), ("url", .text), ("httpVersion", .text), ("cookies", .array), ("headers", .array),
      ("queryString", .array), ("headersSize", .number), ("bodySize", .number),
    ], optional: ["postData"])
  private static let responseMembers = Members(
    required: [
      ("status", .number), ("statusText", .text), ("httpVersion", .text), ("cookies", .array),
      ("headers", .array), ("content", .object), ("redirectURL", .text), ("headersSize", .number),
      ("bodySize", .number),
    ])
  private static let contentMembers = Members(
    required: [("size", .number), ("mimeType", .text)], optional: ["text", "encoding", "compression"])
  private static let postDataMembers = Members(
    required: [("mimeType", .text)], optional: ["text", "params"])
  private static let timingMembers = Members(
    required: [("send", .number), ("wait", .number), ("receive", .number)],
    optional: ["blocked", "dns", "connect", "ssl"])

  private mutating func checkObject(_ value: JSONValue, _ place: String, _ members: Members) {
    guard value.members != nil else { return }
    let prefix = place.isEmpty ? "" : "\(place)."
    for (name, kind) in members.required {
      guard let member = value[name] else {
        add(.error, prefix + name, "is missing")
        continue
      }
      if !kind.fits(member) { add(.error, prefix + name, "is not \(kind.rawValue)") }
    }
    let known = Set(members.required.map(\.name)).union(members.optional).union(["comment"])
    for member in value.members ?? [] where !known.contains(member.name.text) && !member.isPrivate {
      add(.warning, prefix + member.name.text, "is not of HAR, so its name should begin with _")
    }
  }

  /// Names and values: header fields, cookies, queries.
  private mutating func checkPairs(_ list: JSONValue?, _ place: String) {
    let items = list?.array ?? []
    let isWhole = items.allSatisfy { $0["name"]?.text != nil && $0["value"]?.text != nil }
    if !isWhole { add(.error, place, "has items without a `name` and a `value` that are texts") }
  }

  // MARK: Messages

  private mutating func checkRequest(_ request: JSONValue) {
    checkObject(request, "request", Self.requestMembers)
    for name in ["cookies", "headers", "queryString"] { checkPairs(request[name], "request.\(name)") }
    if let url = request["url"]?.text {
      if !url.contains("://"), !url.hasPrefix("data:"), !url.hasPrefix("blob:") {
        add(.error, "request.url", "is not absolute")
      }
      if url.contains("#") { add(.warning, "request.url", "has a fragment, which is never sent") }
    }
    guard let data = request["postData"] else { return }
    checkObject(data, "request.postData", Self.postDataMembers)
    let hasParams = data["params"]?.array?.isEmpty == false
    let hasText = data["text"]?.text?.isEmpty == false
    if hasParams, hasText {
      add(.info, "request.postData", "has `params` and `text`, which exclude each other")
    }
  }

  private mutating func checkResponse(_ response: JSONValue) {
    checkObject(response, "response", Self.responseMembers)
    for name in ["cookies", "headers"] { checkPairs(response[name], "response.\(name)") }
    guard let content = response["content"] else { return }
    checkObject(content, "response.content", Self.contentMembers)
    guard let encoding = content["encoding"]?.text, !encoding.isEmpty else { return }
    guard encoding.lowercased() == "base64" else {
      add(.warning, "response.content.encoding", "is something else than base64, which no reader knows")
      return
    }
    if let text = content["text"]?.utf8Text, Base64.decodeTolerant(text) == nil {
      add(.error, "response.content.text", "is said to be base64 and is not")
    }
  }

  // MARK: Times

  private mutating func checkTimings(_ entry: JSONValue) {
    let timings = entry["timings"] ?? .null
    checkObject(timings, "timings", Self.timingMembers)
    for (name, _) in Self.timingMembers.required {
      if let value = timings[name]?.double, value < 0 { add(.warning, "timings.\(name)", "is negative") }
    }
    var all = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { timings[$0]?.double }
    if let time = entry["time"]?.double {
      let sum = all.filter { $0 > 0 }.reduce(0, +)
      if time < 0 { add(.warning, "time", "is negative") }
      if time >= 0, (time - sum).magnitude > max(1, time / 100) {
        add(.info, "time", "is not the sum of the timings")
      }
      all.append(time)
    }
    if all.contains(where: { $0 != $0.rounded() }) {
      add(.info, "time", "or its timings have fractions, which readers with integers refuse")
    }
  }
}
