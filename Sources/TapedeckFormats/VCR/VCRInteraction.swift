import TapedeckHTTP
import TapedeckRecording

/// Fills a draft from one interaction of VCR, vcrpy or go-vcr.
struct VCRInteraction {
  private let interaction: YAMLValue
  private let request: YAMLValue
  private let response: YAMLValue

  init(_ interaction: YAMLValue) {
    self.interaction = interaction
    request = interaction["request"] ?? .null
    response = interaction["response"] ?? .null
  }

  func fill(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    let method = request["method"]?.string ?? ""
    draft.method = method.lowercased() == method ? method.uppercased() : method
    draft.url = (request["uri"] ?? request["url"])?.string ?? ""
    draft.status = (response["status"]?["code"] ?? response["status_code"] ?? response["code"])?.int ?? 0
    draft.reason = reason
    draft.version = response["http_version"]?.string?.hasSuffix("1.0") == true ? .http10 : .http11
    Self.fields(request["headers"]) { draft.appendRequestField($0, $1) }
    Self.fields(response["headers"]) { draft.appendResponseField($0, $1) }
    draft.requestBody = try body(request["body"], &draft)
    draft.responseBody = try body(response["body"] ?? response["content"], &draft)
    draft.coding = .encoded
    draft.volatile.recordedAtMicroseconds =
      interaction["recorded_at"]?.string.flatMap { ImportedTime.http($0) ?? ImportedTime.iso8601($0) }
      .map { $0 * 1000 }
    draft.volatile.durationMilliseconds = response["duration"]?.string.flatMap(ImportedTime.goDuration)
    remarkTemplates(&draft)
  }

  /// What go-vcr calls the status is the code and the phrase.
  private var reason: [UInt8]? {
    if let message = response["status"]?["message"]?.bytes { return message }
    guard let line = response["status"]?.string, let blank = line.firstIndex(of: " ") else { return nil }
    return Array(line[line.index(after: blank)...].utf8)
  }

  private static func fields(_ headers: YAMLValue?, _ take: ([UInt8], [UInt8]) -> Void) {
    for member in headers?.members ?? [] {
      for value in member.value.list ?? [member.value] { take(member.name, value.bytes ?? []) }
    }
  }

  /// A text, bytes, or a map that says which encoding the text was in.
  private func body(_ body: YAMLValue?, _ draft: inout ExchangeDraft) throws(EntryRefusal) -> [UInt8] {
    guard let body, !body.isNull else { return [] }
    if let bytes = body.bytes { return bytes }
    if let base64 = body["base64_string"]?.bytes {
      guard let bytes = Base64.decodeTolerant(base64) else {
        throw EntryRefusal("a body is said to be base64 and is not; left out")
      }
      return bytes
    }
    guard body.members != nil else { throw EntryRefusal("a body is neither text nor bytes; left out") }
    guard let text = body["string"]?.bytes else { return [] }
    if case .binary? = body["string"] { return text }
    let encoding = body["encoding"]?.string?.lowercased()
    if encoding == "ascii-8bit" || encoding == "binary" { return text }
    if let bytes = TextCharset.encode(text, as: encoding) { return bytes }
    draft.remark(.lost, "a body is UTF-8 now, since it cannot be put back into \(encoding ?? "its encoding")")
    return text
  }

  /// What the tools fill in when they read a file again: it stays as it stands.
  private func remarkTemplates(_ draft: inout ExchangeDraft) {
    let values = draft.requestFields.map(\.value) + draft.responseFields.map(\.value)
    let texts = [Array(draft.url.utf8)[...], draft.requestBody[...], draft.responseBody[...]] + values
    if texts.contains(where: { $0.contains(pair: "<%=") && $0.contains(pair: "%>") }) {
      draft.remark(.lost, "it holds ERB, which is not evaluated")
    }
    if ([Array(draft.url.utf8)[...]] + values).contains(where: Self.holdsPlaceholder) {
      draft.remark(.lost, "a placeholder like <TOKEN> stays as it stands")
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

extension ArraySlice<UInt8> {
  fileprivate func contains(pair text: StaticString) -> Bool {
    let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard let first = pattern.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: pattern) }
  }
}
