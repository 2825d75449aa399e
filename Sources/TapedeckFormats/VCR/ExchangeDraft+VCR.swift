import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

extension ImportedSession {
  /// Reads the cassettes of VCR (Ruby), vcrpy (Python) and go-vcr, which are one family: `http_interactions` or
  /// `interactions`, each a request and a response with headers of several values, in YAML or JSON.
  ///
  /// Bodies are taken as they were on the wire. Templates in them are not evaluated.
  static func readVCR(_ document: YAMLValue, file: String) throws(CassetteError) -> ImportedSession {
    guard let interactions = (document["http_interactions"] ?? document["interactions"])?.list else {
      throw .invalidEntry(
        file: file, member: "interactions",
        problem: "VCR and its kin have a list here, or in http_interactions")
    }
    var session = ImportedSession()
    for (index, interaction) in interactions.enumerated() {
      session.append(file: file, entry: "interaction \(index + 1)") { draft throws(EntryRefusal) in
        try draft.fill(vcr: interaction)
      }
    }
    return session
  }
}

extension ExchangeDraft {
  /// Fills in one interaction of VCR, vcrpy or go-vcr.
  fileprivate mutating func fill(vcr interaction: YAMLValue) throws(EntryRefusal) {
    let (request, response) = (interaction["request"] ?? .null, interaction["response"] ?? .null)
    let written = request["method"]?.string ?? ""
    method = written.lowercased() == written ? written.uppercased() : written
    url = (request["uri"] ?? request["url"])?.string ?? ""
    status = (response["status"]?["code"] ?? response["status_code"] ?? response["code"])?.int ?? 0
    reason = response["status"]?["message"]?.bytes
    // The status of go-vcr holds the code and the phrase.
    if reason == nil, let line = response["status"]?.string, let blank = line.firstIndex(of: " ") {
      reason = Array(line[line.index(after: blank)...].utf8)
    }
    version = response["http_version"]?.string?.hasSuffix("1.0") == true ? .http10 : .http11
    Self.eachField(request["headers"]) { appendRequestField($0, $1) }
    Self.eachField(response["headers"]) { appendResponseField($0, $1) }
    requestBody = try body(request["body"])
    responseBody = try body(response["body"] ?? response["content"])
    coding = .encoded
    volatile.recordedAtMicroseconds =
      interaction["recorded_at"]?.string.flatMap { ImportedTime.http($0) ?? ImportedTime.iso8601($0) }
      .map { $0 * 1000 }
    volatile.durationMilliseconds = response["duration"]?.string.flatMap(ImportedTime.goDuration)
    remarkTemplates()
  }

  private static func eachField(_ headers: YAMLValue?, _ take: ([UInt8], [UInt8]) -> Void) {
    for member in headers?.members ?? [] {
      for value in member.value.list ?? [member.value] { take(member.name, value.bytes ?? []) }
    }
  }

  /// A text, bytes, or a map that says which encoding the text was in.
  private mutating func body(_ body: YAMLValue?) throws(EntryRefusal) -> [UInt8] {
    guard let body, !body.isNull else { return [] }
    if let bytes = body.bytes { return bytes }
    if let base64 = body["base64_string"]?.bytes { return try Self.decoded(base64: base64) }
    guard body.members != nil else { throw EntryRefusal("a body is neither text nor bytes") }
    guard let text = body["string"]?.bytes else { return [] }
    if case .binary? = body["string"] { return text }
    let encoding = body["encoding"]?.string?.lowercased()
    if encoding == "ascii-8bit" || encoding == "binary" { return text }
    if let bytes = TextCharset.encode(text, as: encoding) { return bytes }
    remark(.lost, "a body is UTF-8 now, since it cannot be put back into \(encoding ?? "its encoding")")
    return text
  }

  /// Remarks on templates, which the tools fill in when they read a file again: they stay as they stand.
  private mutating func remarkTemplates() {
    let values = [Array(url.utf8)[...]] + requestFields.map(\.value) + responseFields.map(\.value)
    let bodies = [requestBody[...], responseBody[...]]
    let holdsERB = (values + bodies).contains { text in
      ["<%=", "%>"].allSatisfy { ByteSearch.first(Array($0.utf8), in: text) != nil }
    }
    if holdsERB { remark(.lost, "it holds ERB, which is not evaluated") }
    if values.contains(where: Self.holdsPlaceholder) {
      remark(.lost, "a placeholder like <TOKEN> stays as it stands")
    }
  }

  private static func holdsPlaceholder(_ text: ArraySlice<UInt8>) -> Bool {
    guard let open = text.firstIndex(of: UInt8(ascii: "<")) else { return false }
    let rest = text[(open + 1)...]
    guard let close = rest.firstIndex(of: UInt8(ascii: ">")), close > rest.startIndex else { return false }
    return rest[..<close].allSatisfy { byte in
      byte &- 0x41 < 26 || ASCII.isDigit(byte) || "_-. ".utf8.contains(byte)
    }
  }
}
