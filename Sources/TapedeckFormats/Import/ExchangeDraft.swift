import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// Why an entry of a file cannot become an interaction. Its problem ends in a note.
struct EntryRefusal: Error {
  var problem: String

  init(_ problem: String) { self.problem = problem }
}

/// An exchange as a file of another tool describes it, on its way to being an interaction.
///
/// Readers fill it in with what their files say; `finish` makes it what a recording of the same exchange would be:
/// the target cut out of the URL, fields of the connection dropped, lengths corrected. Everything that is not carried
/// over leaves a remark.
struct ExchangeDraft {
  /// How a body with `Content-Encoding` stands in the file.
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
  var coding = Coding.decoded
  var volatile = VolatileFacts()
  private(set) var remarks: [(severity: ImportNote.Severity, problem: String)] = []
  private var pseudoAuthority: [UInt8]?

  mutating func remark(_ severity: ImportNote.Severity, _ problem: String) {
    remarks.append((severity, problem))
  }

  /// The request, without its query.
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

  /// The fields of a response as an object with a value, or a list of values, for each name.
  mutating func appendResponseFields(_ fields: JSONValue?) {
    for member in fields?.members ?? [] {
      for value in member.value.array ?? [member.value] {
        appendResponseField(member.name.decodedBytes, Array((value.text ?? "").utf8))
      }
    }
  }

  /// A field that a stub of another tool demands.
  mutating func appendCondition(_ name: [UInt8], _ value: String) {
    appendRequestField(name, Array(value.utf8))
    guard !name.map(ASCII.lowercased).elementsEqual("content-type".utf8) else { return }
    remark(.lost, "conditions on headers count only where the cassette's rules name them")
  }

  /// The delay of a stub, in milliseconds.
  mutating func setDelay(_ delay: JSONValue?) {
    guard let delay = delay?.double, VolatileFacts.milliseconds.contains(delay), delay > 0 else { return }
    volatile.durationMilliseconds = delay
    remark(.changed, "its delay is the duration of the recording, which --pace recorded gives back")
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

  // MARK: Media type

  /// Gives a body without a media type the one that it looks like, since how bodies are compared depends on it.
  mutating func guessMediaType() {
    guard !requestBody.isEmpty, !requestFields.contains("content-type") else { return }
    let value = try? JSONValue(parsing: requestBody)
    let type: StaticString
    if value?.members != nil || value?.array != nil {
      type = "application/json"
    } else if FormEncoding.isForm(requestBody) {
      type = "application/x-www-form-urlencoded"
    } else {
      return
    }
    requestFields.append(literal: "Content-Type", "\(type)")
    remark(.changed, "the request is taken to be \(type), as its body looks")
  }

  // MARK: Finishing

  mutating func finish() throws(EntryRefusal) -> ImportedExchange {
    guard HTTPMethod.isValid(method) else { throw EntryRefusal("its method is malformed; left out") }
    guard method != "CONNECT" else {
      throw EntryRefusal("CONNECT makes a tunnel, which is not recorded; left out")
    }
    let source = try SourceURL(url)
    if source.hadUserInformation {
      remark(.changed, "user information in the URL is left away; what was sent of it is in Authorization")
    }
    guard (200...999).contains(status) else { throw EntryRefusal(Self.unusable(status)) }
    let request = request(source)
    return ImportedExchange(
      origin: source.origin,
      interaction: Interaction(
        request: request, response: response(to: request.method), volatile: volatile))
  }

  private static func unusable(_ status: Int) -> String {
    switch status {
    case 101: "a switch of protocols (101), such as to WebSocket, is not recorded; left out"
    case 100..<200: "an interim answer is no answer; left out"
    case ...0: "the request failed, so there is no answer; left out"
    default: "its status \(status) is none of HTTP; left out"
    }
  }

  private func request(_ source: SourceURL) -> HTTPRequest {
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

  private mutating func response(to method: HTTPMethod) -> RecordedResponse {
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
    case .encoded: JSONValue(ifText: responseBody) != nil
    }
  }

  /// Keeps the length of a response to HEAD if it is one.
  private static func removeMalformedLength(in fields: inout HTTPFields) {
    let lengths = fields.values(of: "content-length")
    let isFine =
      lengths.count == 1 && (1...18).contains(lengths[0].count) && lengths[0].allSatisfy(ASCII.isDigit)
    if !isFine { fields.removeAll("content-length") }
  }
}
