import TapedeckFormats
import TapedeckHTTP

/// Finds violations of HAR 1.2. Tapedeck's own reader accepts most of them; other tools refuse the file or misread it.
struct HARLint {
  private(set) var findings: [LintFinding] = []
  /// The indices of findings by their text, since a problem of many entries is one finding.
  private var known: [String: (index: Int, place: String, count: Int)] = [:]
  /// The entry that is being checked.
  private var place = ""

  init(_ document: JSONValue, bytes: [UInt8]) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    if hasMark {
      add(.info, "it begins with a byte order mark, which HAR allows but strict JSON readers do not")
    }
    if (try? JSONValue(parsing: hasMark ? Array(bytes.dropFirst(3)) : bytes)) == nil {
      add(.error, "NaN or Infinity stands where a number is expected: that is not JSON")
    }
    if document["log"] == nil { add(.error, "`log` is missing: the log itself is the root") }
    if let log = document["log"] { checkLog(log) }
    for (index, entry) in (document["log"]?["entries"]?.array ?? []).enumerated() {
      place = "entry \(index + 1)"
      checkEntry(entry)
    }
    for (index, place, count) in known.values where count > 1 {
      findings[index].file = "\(place) and \(count - 1) more"
    }
  }

  /// - Parameter member: the place in the entry, like `response.content.size`.
  private mutating func add(_ severity: LintFinding.Severity, _ member: String, _ text: String) {
    let problem = "\(member) \(text)"
    guard known[problem] == nil else {
      known[problem]?.count += 1
      return
    }
    known[problem] = (findings.count, place, 1)
    findings.append(LintFinding(severity, .har, place, problem))
  }

  private mutating func add(_ severity: LintFinding.Severity, _ text: String) {
    findings.append(LintFinding(severity, .har, "", text))
  }

  private mutating func checkLog(_ log: JSONValue) {
    switch log["version"]?.text {
    case "1.2", "1.1": break
    case let version?: add(.warning, "log.version is \(version.prefix(20).debugDescription), not \"1.2\"")
    case nil: add(.error, "log.version is missing, or no text")
    }
    for member in ["name", "version"] where log["creator"]?[member]?.text == nil {
      add(.error, "log.creator.\(member) is missing, or no text")
    }
    for name in Self.others(in: log, than: ["version", "creator", "browser", "pages", "entries"]) {
      add(.warning, "log.\(name) is not of HAR, so its name should begin with _")
    }
  }

  /// The names of members that are unknown and do not begin with an underscore, as custom members must.
  private static func others(in object: JSONValue, than known: Set<String>) -> [String] {
    (object.members ?? []).map(\.name.text).filter {
      !known.contains($0) && $0 != "comment" && !$0.hasPrefix("_")
    }
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

  private static let members: [String: (required: KeyValuePairs<String, Kind>, optional: [String])] = [
    "": (
      [
        "startedDateTime": .text, "time": .number, "request": .object, "response": .object,
        "cache": .object, "timings": .object,
      ], ["pageref", "serverIPAddress", "connection"]
    ),
    "request": (
      [
        "method": .text, "url": .text, "httpVersion": .text, "cookies": .array, "headers": .array,
        "queryString": .array, "headersSize": .number, "bodySize": .number,
      ], ["postData"]
    ),
    "response": (
      [
        "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .array,
        "headers": .array, "content": .object, "redirectURL": .text, "headersSize": .number,
        "bodySize": .number,
      ], []
    ),
    "response.content": (["size": .number, "mimeType": .text], ["text", "encoding", "compression"]),
    "request.postData": (["mimeType": .text], ["text", "params"]),
    "timings": (
      ["send": .number, "wait": .number, "receive": .number], ["blocked", "dns", "connect", "ssl"]
    ),
  ]

  private mutating func checkObject(_ value: JSONValue, _ place: String) {
    guard value.members != nil, let members = Self.members[place] else { return }
    let prefix = place.isEmpty ? "" : "\(place)."
    for (name, kind) in members.required {
      guard let member = value[name] else {
        add(.error, prefix + name, "is missing")
        continue
      }
      if !kind.fits(member) { add(.error, prefix + name, "is not \(kind.rawValue)") }
    }
    for name in Self.others(in: value, than: Set(members.required.map(\.key) + members.optional)) {
      add(.warning, prefix + name, "is not of HAR, so its name should begin with _")
    }
  }

  /// Checks names and values: header fields, cookies, queries.
  private mutating func checkPairs(_ message: JSONValue, _ place: String, _ names: String...) {
    for name in names {
      let items = message[name]?.array ?? []
      let isWhole = items.allSatisfy { $0["name"]?.text != nil && $0["value"]?.text != nil }
      if !isWhole {
        add(.error, "\(place).\(name)", "has items without a `name` and a `value` that are texts")
      }
    }
  }

  // MARK: Entries

  private mutating func checkEntry(_ entry: JSONValue) {
    checkObject(entry, "")
    if let time = entry["startedDateTime"]?.text, ImportedTime.iso8601(time) == nil {
      add(.error, "startedDateTime", "is not an ISO 8601 time")
    }
    checkRequest(entry["request"] ?? .null)
    checkResponse(entry["response"] ?? .null)
    checkTimings(entry)
  }

  private mutating func checkRequest(_ request: JSONValue) {
    checkObject(request, "request")
    checkPairs(request, "request", "cookies", "headers", "queryString")
    if let url = request["url"]?.text {
      if !url.contains("://"), !url.hasPrefix("data:"), !url.hasPrefix("blob:") {
        add(.error, "request.url", "is not absolute")
      }
      if url.contains("#") { add(.warning, "request.url", "has a fragment, which is never sent") }
    }
    guard let data = request["postData"] else { return }
    checkObject(data, "request.postData")
    if data["params"]?.array?.isEmpty == false, data["text"]?.text?.isEmpty == false {
      add(.info, "request.postData", "has `params` and `text`, which exclude each other")
    }
  }

  private mutating func checkResponse(_ response: JSONValue) {
    checkObject(response, "response")
    checkPairs(response, "response", "cookies", "headers")
    guard let content = response["content"] else { return }
    checkObject(content, "response.content")
    guard let encoding = content["encoding"]?.text, !encoding.isEmpty else { return }
    guard encoding.lowercased() == "base64" else {
      return add(
        .warning, "response.content.encoding", "is not base64, the only encoding that readers know")
    }
    if let text = content["text"]?.utf8Text, Base64.decodeTolerant(text) == nil {
      add(.error, "response.content.text", "is marked as base64 but is not")
    }
  }

  private mutating func checkTimings(_ entry: JSONValue) {
    let timings = entry["timings"] ?? .null
    checkObject(timings, "timings")
    for name in ["send", "wait", "receive"] {
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
      add(.info, "time", "or its timings have fractions, which some readers refuse")
    }
  }
}
