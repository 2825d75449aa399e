import TapedeckHTTP
import TapedeckRecording

/// A request and its answer in a simulation.
struct HoverflyPair {
  private let request: JSONValue
  private let response: JSONValue

  init(_ pair: JSONValue) {
    request = pair["request"] ?? .null
    response = pair["response"] ?? .null
  }

  /// Its place in a sequence, from 1, as its state counts it; nil without one.
  var number: Int? { sequence.flatMap { Int($0.value.text ?? "") } }

  private var sequence: JSONMember? { request["requiresState"]?.members?.first { isSequence($0) } }

  private func isSequence(_ state: JSONMember) -> Bool { state.name.text.hasPrefix("sequence:") }

  func fill(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    draft.method = try exact("method") ?? ""
    try fillURL(&draft)
    guard !draft.method.isEmpty else { throw EntryRefusal("it matches any method; left out") }
    try fillFields(&draft)
    draft.requestBody = try HoverflyBody.bytes(request["body"], &draft)
    draft.guessMediaType()
    try fillResponse(&draft, from: source)
    try refuseStates()
  }

  // MARK: Request

  /// The one value a field must have; nil when any will do.
  private func exact(_ name: String) throws(EntryRefusal) -> String? {
    guard let matchers = request[name]?.array, !matchers.isEmpty else { return nil }
    guard matchers.count == 1, let value = HoverflyMatcher.exact(matchers[0]) else {
      throw EntryRefusal("`\(name)` matches more than one request; left out")
    }
    return value
  }

  private func fillURL(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    guard let path = try exact("path") else { throw EntryRefusal("it matches any path; left out") }
    let scheme = try exact("scheme")
    let origin = try exact("destination").map { "\(scheme ?? "http")://\($0)" } ?? ""
    let encoded = String(decoding: Self.pathEncoded(Array(path.utf8)), as: UTF8.self)
    draft.url = origin + (encoded.hasPrefix("/") ? encoded : "/" + encoded) + (try query(&draft))
  }

  /// Hoverfly has decoded the path.
  private static func pathEncoded(_ path: [UInt8]) -> [UInt8] {
    path.flatMap { "?%#".utf8.contains($0) ? PercentCoding.encoded($0) : [$0] }
  }

  private func query(_ draft: inout ExchangeDraft) throws(EntryRefusal) -> String {
    if let old = try exact("deprecatedQuery") { return old.isEmpty ? "" : "?\(old)" }
    guard let members = request["query"]?.members else {
      draft.remark(.lost, "it matches with any query there, and without one here")
      return ""
    }
    var pairs: [String] = []
    for member in members {
      guard let matcher = member.value[0], member.value[1] == nil,
        let values = HoverflyMatcher.values(matcher)
      else {
        throw EntryRefusal("`query` matches more than one request; left out")
      }
      for value in values { pairs.append("\(Self.form(member.name.text))=\(Self.form(value))") }
    }
    return pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))"
  }

  private static func form(_ text: String) -> String {
    String(decoding: HARParams.encoded(Array(text.utf8)), as: UTF8.self)
  }

  private func fillFields(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    for member in request["headers"]?.members ?? [] {
      guard let matcher = member.value[0], member.value[1] == nil,
        let values = HoverflyMatcher.values(matcher)
      else {
        throw EntryRefusal("`headers` matches more than one request; left out")
      }
      for value in values { draft.appendRequestField(member.name.decodedBytes, Array(value.utf8)) }
      if member.name.text.lowercased() != "content-type" {
        draft.remark(.lost, "conditions on headers count only where the cassette's rules name them")
      }
    }
  }

  // MARK: Response

  private func fillResponse(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    if response["templated"]?.bool == true { throw EntryRefusal("its answer is a template; left out") }
    draft.status = response["status"]?.int ?? 0
    for member in response["headers"]?.members ?? [] {
      for value in member.value.array ?? [member.value] {
        draft.appendResponseField(member.name.decodedBytes, Array((value.text ?? "").utf8))
      }
    }
    draft.responseBody = try body(from: source)
    draft.coding = response["encodedBody"]?.bool == true ? .exact : .encoded
    if let delay = response["fixedDelay"]?.double, VolatileFacts.milliseconds.contains(delay), delay > 0 {
      draft.volatile.durationMilliseconds = delay
      draft.remark(.changed, "its delay is the duration of the recording, which --pace recorded gives back")
    }
    for name in ["logNormalDelay", "postServeAction"] where isSet(response[name]) {
      draft.remark(.lost, "`\(name)` is not carried over")
    }
  }

  private func isSet(_ value: JSONValue?) -> Bool {
    guard let value else { return false }
    return !value.isNull && value.text != ""
  }

  private func body(from source: ImportSource) throws(EntryRefusal) -> [UInt8] {
    if let name = response["bodyFile"]?.text, !name.isEmpty { return try file(name, source) }
    let text = response["body"].flatMap(HARText.utf8) ?? []
    guard response["encodedBody"]?.bool == true else { return text }
    guard let bytes = Base64.decodeTolerant(text) else {
      throw EntryRefusal("its body is said to be base64 and is not; left out")
    }
    return bytes
  }

  private func file(_ name: String, _ source: ImportSource) throws(EntryRefusal) -> [UInt8] {
    let content: [UInt8]?
    do throws(CassetteError) { content = try source.sibling(name) } catch {
      throw EntryRefusal("its body cannot be read (\(error)); left out")
    }
    guard let content else { throw EntryRefusal("its body is in a file that is not there; left out") }
    return content
  }

  /// States other than the count of a repeated request.
  private func refuseStates() throws(EntryRefusal) {
    let states = [request["requiresState"], response["transitionsState"]].flatMap { $0?.members ?? [] }
    let removes = response["removesState"]?.array?.isEmpty == false
    if removes || !states.allSatisfy(isSequence) || states.count > 2 {
      throw EntryRefusal("it depends on a state that is more than answers in order; left out")
    }
  }
}
