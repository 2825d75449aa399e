import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// An interaction to be written into a file of another tool, with its bodies read. Each format is an extension.
struct ExportedInteraction {
  let file: String
  let url: String
  let request: HTTPRequest
  let requestBody: [UInt8]
  let response: RecordedResponse
  let responseBody: [UInt8]
  let volatile: VolatileFacts
  /// Its place among the responses to its request, from 1.
  let number: Int
  /// How many responses its request has.
  let count: Int
  /// A word that differs for each request.
  let key: String

  /// - Parameter responses: all that are recorded for its request, in order.
  init(
    _ stored: StoredInteraction, url: String, among responses: [StoredInteraction]
  ) throws(CassetteError) {
    let interaction = stored.interaction
    file = stored.fileName
    self.url = url
    request = interaction.request
    requestBody = try interaction.requestBody.allBytes()
    response = interaction.response
    responseBody = try response.body.allBytes()
    volatile = interaction.volatile
    number = (responses.firstIndex { $0 === stored } ?? 0) + 1
    count = responses.count
    key = String(stored.key.digest.hex.prefix(12))
  }

  /// Whether the reason phrase says more than the status does.
  var hasOwnReason: Bool {
    !response.head.reason.elementsEqual(HTTPStatus.reason(response.head.status).utf8)
  }

  /// The request's body as text that JSON-aware matchers can compare; `nil` if it is no text.
  var requestText: (text: JSONValue, isJSON: Bool)? {
    JSONValue(ifText: requestBody).map {
      ($0, ContentType(request.fields).isJSON && (try? JSONValue(parsing: requestBody)) != nil)
    }
  }

  func noteVersion(_ losses: inout ExportLosses) {
    guard response.head.version != .http11 else { return }
    losses.note("that it is HTTP/1.0 is not carried over", of: file)
  }

  /// Header fields grouped by name, for formats that know no order between names: a name in the spelling of its first
  /// field, with its values in order.
  func grouped(_ fields: HTTPFields, _ losses: inout ExportLosses) -> [(name: String, values: [String])] {
    for field in fields where !UTF8Scan.isValid(field.value) {
      losses.note("a header that is no UTF-8 is written as if it were", of: file)
    }
    return fields.groupedInOrder { $0.name.map(ASCII.lowercased) }.map { _, fields in
      (
        String(decoding: fields[0].name, as: UTF8.self),
        fields.map { String(decoding: $0.value, as: UTF8.self) }
      )
    }
  }
}

/// The origin of a cassette, from which the URLs of its requests are made.
struct ExportOrigin {
  /// Scheme, authority and path prefix, without a final slash.
  private let base: String
  private let scheme: String
  private let authority: String

  init(upstream: String?) {
    let upstream = upstream ?? ""
    // Other tools know no URL of a unix socket.
    let isSocket = upstream.hasPrefix("http+unix://")
    base = isSocket ? "http://localhost" + upstream.dropFirst(12).drop { $0 != "/" } : upstream
    scheme = base.hasPrefix("https:") ? "https" : "http"
    authority = (try? SourceURL(base))?.authority ?? ""
  }

  /// A request that says it went to another host than the cassette's origin has that host in its URL.
  func url(of request: HTTPRequest) -> String {
    let host = request.fields.text("host") ?? ""
    let target = String(decoding: SourceURL.encoded(request.target[...]), as: UTF8.self)
    let path = target.hasPrefix("/") ? target : "/" + target
    if request.namesOrigin, let origin = request.origin { return "\(origin)\(path)" }
    if let other = try? SourceURL("\(scheme)://\(host)/"), other.authority != authority {
      return other.origin + path
    }
    return (base.isEmpty ? "http://localhost" : base) + path
  }
}
