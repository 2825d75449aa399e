import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// The reason why an entry of a file cannot become an interaction; it ends in a note.
struct EntryRefusal: Error {
  var problem: String

  init(_ problem: String) { self.problem = problem }
}

/// An exchange as a file of another tool describes it, before it becomes an interaction.
///
/// Readers fill it in with what their files say, each in an extension; `finish` makes it what a recording of the same
/// exchange would be: the target cut out of the URL, fields of the connection dropped, lengths corrected. Everything
/// that is not carried over leaves a remark.
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
  /// `nil` for the usual one.
  var reason: [UInt8]?
  var responseFields = HTTPFields()
  var responseBody: [UInt8] = []
  var coding = Coding.decoded
  /// What was said over it; `nil` if no WebSocket was opened.
  var webSocket: RecordedWebSocket?
  var volatile = VolatileFacts()
  private(set) var remarks: [(severity: ImportNote.Severity, problem: String)] = []
  private var pseudoAuthority: [UInt8]?

  mutating func remark(_ severity: ImportNote.Severity, _ problem: String) {
    remarks.append((severity, problem))
  }

  /// The request, without its query.
  var summary: String {
    guard !url.isEmpty, let source = try? SourceURL(url) else { return method }
    let path = source.target.prefix { $0 != UInt8(ascii: "?") }
    return "\(method) \(source.origin)\(String(decoding: path.prefix(200), as: UTF8.self))"
  }

  // MARK: Fields

  mutating func appendRequestField(_ name: [UInt8], _ value: [UInt8]) {
    guard name.first == UInt8(ascii: ":") else { return append(name, value, to: \.requestFields) }
    if name.elementsEqual(":authority".utf8) { pseudoAuthority = value }
  }

  mutating func appendResponseField(_ name: [UInt8], _ value: [UInt8]) {
    if name.first != UInt8(ascii: ":") { append(name, value, to: \.responseFields) }
  }

  /// Appends the fields of a response from an object with a value, or a list of values, for each name.
  mutating func appendResponseFields(_ fields: JSONValue?) {
    for member in fields?.members ?? [] {
      for value in member.value.array ?? [member.value] {
        appendResponseField(member.name.decodedBytes, Array((value.text ?? "").utf8))
      }
    }
  }

  /// Appends a field that a stub of another tool demands.
  mutating func appendCondition(_ name: [UInt8], _ value: String) {
    appendRequestField(name, Array(value.utf8))
    guard !ASCII.equal(name, lowercase: "content-type") else { return }
    remark(.lost, "conditions on headers count only where the cassette's rules name them")
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

  // MARK: Guesses

  /// Sets the delay of a stub, in milliseconds.
  mutating func setDelay(_ delay: JSONValue?) {
    guard let delay = delay?.double, VolatileFacts.milliseconds.contains(delay), delay > 0 else { return }
    volatile.durationMilliseconds = delay
    remark(.changed, "its delay is the duration of the recording, which --pace recorded gives back")
  }

  /// Gives a body without a media type the one that it looks like, since how bodies are compared depends on it.
  mutating func guessMediaType() {
    guard !requestBody.isEmpty, !requestFields.contains("content-type") else { return }
    let value = try? JSONValue(parsing: requestBody)
    let isJSON = value?.members != nil || value?.array != nil
    guard isJSON || FormEncoding.isForm(requestBody) else { return }
    let type = isJSON ? "application/json" : "application/x-www-form-urlencoded"
    requestFields.append(literal: "Content-Type", type)
    remark(.changed, "the request is taken to be \(type), as its body looks")
  }

  /// The bytes of a body that is base64.
  static func decoded(base64 text: [UInt8]) throws(EntryRefusal) -> [UInt8] {
    guard let bytes = Base64.decodeTolerant(text) else {
      throw EntryRefusal("its body is said to be base64 and is not")
    }
    return bytes
  }

  // MARK: Finishing

  mutating func finish() throws(EntryRefusal) -> ImportedExchange {
    guard HTTPMethod.isValid(method) else { throw EntryRefusal("its method is malformed") }
    guard method != "CONNECT" else { throw EntryRefusal("CONNECT makes a tunnel, which is not recorded") }
    let source = try SourceURL(url)
    if source.hadUserInformation {
      remark(.changed, "user information in the URL is left away; what was sent of it is in Authorization")
    }
    switch status {
    case 200...999: break
    case 101 where webSocket != nil: break
    case 101: throw EntryRefusal("a switch of protocols (101), such as to WebSocket, is not recorded")
    case 100..<200: throw EntryRefusal("an interim response is not recorded by itself")
    case ...0: throw EntryRefusal("the request failed, so there is no response")
    default: throw EntryRefusal("its status \(status) is none of HTTP")
    }
    let request = request(source)
    return ImportedExchange(
      origin: source.origin,
      interaction: Interaction(
        request: request, response: response(to: request.method), volatile: volatile))
  }

  private func request(_ source: SourceURL) -> HTTPRequest {
    var fields = requestFields
    if !fields.contains("host"), !source.authority.isEmpty {
      fields = HTTPFields()
      fields.append(
        literal: "Host", pseudoAuthority.map { String(decoding: $0, as: UTF8.self) } ?? source.authority)
      for field in requestFields { fields.append(field) }
    }
    fields.removeHopByHop()
    InteractionFormat.correctLength(in: &fields, to: requestBody.count)
    return HTTPRequest(
      method: HTTPMethod(rawValue: method), target: source.target, fields: fields, body: requestBody,
      authority: fields.first("host").map { Array($0) } ?? [])
  }

  private mutating func response(to method: HTTPMethod) -> RecordedResponse {
    let wasChunked =
      version == .http11
      && responseFields.values(of: "transfer-encoding").contains {
        ASCII.equal($0.suffix(7), lowercase: "chunked")
      }
    var head = HTTPResponseHead(version: version, status: status, reason: reason, fields: responseFields)
    if !head.reason.allSatisfy(ASCII.isFieldValue) {
      head.reason = Array(HTTPStatus.reason(status).utf8)
      remark(.changed, "its reason phrase holds control characters and is replaced by the usual one")
    }
    head.removeHopByHop()
    guard !BodyFraming.hasNoBody(status: status, method: method) else {
      if !responseBody.isEmpty { remark(.changed, "a body where HTTP allows none is left away") }
      // The length of a response to HEAD stays if it is one.
      let lengths = head.fields.values(of: "content-length")
      let isLength =
        lengths.count == 1 && (1...18).contains(lengths[0].count) && lengths[0].allSatisfy(ASCII.isDigit)
      if !isLength { head.fields.removeAll("content-length") }
      var response = RecordedResponse(head: head)
      response.webSocket = webSocket
      return response
    }
    let codings = BodyCoding.names(head.fields)
    if !codings.isEmpty, isDecoded(codings) {
      head.fields.removeAll("content-encoding")
      remark(.changed, "Content-Encoding is left away: the body is in the file decoded")
    }
    InteractionFormat.correctLength(in: &head.fields, to: wasChunked ? nil : responseBody.count)
    return RecordedResponse(
      head: head, body: .bytes(responseBody),
      chunkSizes: wasChunked ? responseBody.isEmpty ? [] : [responseBody.count] : nil)
  }

  private func isDecoded(_ codings: [String]) -> Bool {
    switch coding {
    case .exact: false
    case .decoded: !BodyCoding.isApplied(codings, to: responseBody)
    case .encoded: JSONValue(ifText: responseBody) != nil
    }
  }
}
