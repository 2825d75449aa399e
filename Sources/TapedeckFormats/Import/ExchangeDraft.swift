import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// An exchange as a file of another tool tells it, on its way to being an interaction.
///
/// Readers fill it in with what their files say; `finished` makes it what a recording of the same exchange would be:
/// the target cut out of the URL, fields of the connection dropped, lengths corrected. Everything that is not carried
/// over leaves a remark.
struct ExchangeDraft {
  struct Remark {
    var severity: ImportNote.Severity
    var problem: String
  }

  enum Coding {
    /// Decoded, unless it begins as its coding makes it begin.
    case decoded
    /// As it was on the wire, unless it is text.
    case encoded
    /// As it was on the wire.
    case exact
  }

  var method = ""
  /// Absolute, or only a path and a query where the file names no origin.
  var url = ""
  var requestFields = HTTPFields()
  var requestBody: [UInt8] = []
  var version = HTTPVersion.http11
  var status = 0
  /// Nil for the usual one.
  var reason: [UInt8]?
  var responseFields = HTTPFields()
  var responseBody: [UInt8] = []
  /// What to think of the body of an answer with `Content-Encoding`.
  var coding = Coding.decoded
  var volatile = VolatileFacts()
  private(set) var remarks: [Remark] = []
  private(set) var pseudoAuthority: [UInt8]?

  mutating func remark(_ severity: ImportNote.Severity, _ problem: String) {
    remarks.append(Remark(severity: severity, problem: problem))
  }

  /// What a note may say of the request.
  var summary: String {
    guard !url.isEmpty else { return method }
    guard let source = try? SourceURL(url) else { return method }
    let path = source.target.prefix { $0 != UInt8(ascii: "?") }
    return "\(method) \(source.origin)\(String(decoding: path.prefix(200), as: UTF8.self))"
  }

  // MARK: Fields

  mutating func appendRequestField(_ name: [UInt8], _ value: [UInt8]) {
    if name.first == UInt8(ascii: ":") {
      if name.elementsEqual(":authority".utf8) { pseudoAuthority = value }
      return
    }
    append(name, value, to: \.requestFields)
  }

  mutating func appendResponseField(_ name: [UInt8], _ value: [UInt8]) {
    if name.first != UInt8(ascii: ":") { append(name, value, to: \.responseFields) }
  }

  /// Browsers write fields of one name as one, with line feeds between the values.
  private mutating func append(
    _ name: [UInt8], _ value: [UInt8], to fields: WritableKeyPath<Self, HTTPFields>
  ) {
    for line in value.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      do throws(HTTPFieldError) {
        try self[keyPath: fields].append(name: name, value: line.last == 0x0D ? line.dropLast() : line)
      } catch {
        remark(.lost, "a header that HTTP/1.1 cannot carry is left away: \(error)")
      }
    }
  }

  // MARK: Finishing

  func finished() throws(EntryRefusal) -> (exchange: ImportedExchange, remarks: [Remark]) {
    var draft = self
    let exchange = try draft.finish()
    return (exchange, draft.remarks)
  }

  private mutating func finish() throws(EntryRefusal) -> ImportedExchange {
    guard HTTPMethod.isValid(method) else { throw EntryRefusal("its method is malformed; left out") }
    guard method != "CONNECT" else {
      throw EntryRefusal("CONNECT makes a tunnel, which is not recorded; left out")
    }
    let source = try SourceURL(url)
    if source.hadUserInformation {
      remark(.changed, "user information in the URL is left away; what was sent of it is in Authorization")
    }
    guard (200...999).contains(status) else { throw EntryRefusal(Self.unusable(status)) }
    let request = try request(source)
    return ImportedExchange(
      origin: source.origin,
      interaction: Interaction(
        request: request, response: try response(to: request.method), volatile: volatile))
  }

  private static func unusable(_ status: Int) -> String {
    switch status {
    case 101: "a switch of protocols (101), such as to WebSocket, is not recorded; left out"
    case 100..<200: "an interim answer is no answer; left out"
    case ...0: "the request failed, so there is no answer; left out"
    default: "its status \(status) is none of HTTP; left out"
    }
  }

  private func request(_ source: SourceURL) throws(EntryRefusal) -> HTTPRequest {
    var fields = requestFields
    if !fields.contains("host"), !source.authority.isEmpty {
      var complete = HTTPFields()
      complete.append(
        literal: "Host", pseudoAuthority.map { String(decoding: $0, as: UTF8.self) } ?? source.authority)
      for field in fields { complete.append(field) }
      fields = complete
    }
    fields.removeHopByHop()
    InteractionFormat.correctLength(in: &fields, to: requestBody.count)
    return HTTPRequest(
      method: HTTPMethod(rawValue: method), target: source.target, fields: fields, body: requestBody,
      authority: fields.first("host").map { Array($0) } ?? [])
  }

  private mutating func response(to method: HTTPMethod) throws(EntryRefusal) -> RecordedResponse {
    let wasChunked = isChunked
    var head = HTTPResponseHead(version: version, status: status, reason: reason, fields: responseFields)
    if !head.reason.allSatisfy({ $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }) {
      head.reason = Array(HTTPStatus.reason(status).utf8)
      remark(.changed, "its reason phrase holds control characters and is replaced by the usual one")
    }
    head.fields.removeHopByHop()
    guard !BodyFraming.hasNoBody(status: status, method: method) else {
      if !responseBody.isEmpty { remark(.changed, "a body where HTTP allows none is left away") }
      Self.removeMalformedLength(in: &head.fields)
      return RecordedResponse(head: head)
    }
    settleCoding(of: &head.fields)
    InteractionFormat.correctLength(in: &head.fields, to: wasChunked ? nil : responseBody.count)
    return RecordedResponse(
      head: head, body: .bytes(responseBody),
      chunkSizes: wasChunked ? responseBody.isEmpty ? [] : [responseBody.count] : nil)
  }

  private var isChunked: Bool {
    version == .http11
      && responseFields.values(of: "transfer-encoding").contains { value in
        value.map(ASCII.lowercased).suffix(7).elementsEqual("chunked".utf8)
      }
  }

  private mutating func settleCoding(of fields: inout HTTPFields) {
    let codings = BodyCoding.names(fields)
    guard !codings.isEmpty, isDecoded(codings) else { return }
    fields.removeAll("content-encoding")
    remark(.changed, "Content-Encoding is left away: the body is in the file decoded")
  }

  private func isDecoded(_ codings: [String]) -> Bool {
    switch coding {
    case .exact: false
    case .decoded: !BodyCoding.isApplied(codings, to: responseBody)
    case .encoded: HARBody.text(responseBody) != nil
    }
  }

  /// The length an answer to HEAD would have had is kept, if it is one.
  private static func removeMalformedLength(in fields: inout HTTPFields) {
    let lengths = fields.values(of: "content-length")
    let isFine =
      lengths.count == 1 && (1...18).contains(lengths[0].count) && lengths[0].allSatisfy(ASCII.isDigit)
    if !isFine { fields.removeAll("content-length") }
  }
}
