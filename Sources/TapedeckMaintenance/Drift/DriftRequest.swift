package import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// A recorded request to send to the origin again, with the responses that were recorded.
package struct DriftRequest: Sendable {
  package enum Plan: Sendable {
    /// - Parameter webSocket: what was said over the WebSocket that it opens; `nil` if it opens none.
    case send(HTTPRequest, saying: RecordedWebSocket?)
    /// It is not sent, for this reason.
    case skip(String)
  }

  /// The recorded interactions, in order; at least one.
  package let interactions: [StoredInteraction]
  package let plan: Plan
  /// Header fields that are left out because their recorded values are placeholders.
  package let withheld: [String]

  /// All requests of a cassette: in the order of recording if unsafe methods are sent, since one request may depend on
  /// another, else in the order of the file names.
  /// - Parameters:
  ///   - sendsUnsafeMethods: whether requests that may change something are sent (RFC 9110 §9.2.1).
  ///   - fields: gives the fields that replace recorded ones of the same names.
  package static func all(
    of cassette: Cassette, sendsUnsafeMethods: Bool, fields: (Interaction) -> HTTPFields
  ) throws(CassetteError) -> [DriftRequest] {
    var requests: [DriftRequest] = []
    for (_, responses) in try cassette.grouped(by: cassette.matcher) {
      let fields = fields(responses[0].interaction)
      requests.append(try DriftRequest(responses, sendsUnsafeMethods: sendsUnsafeMethods, fields: fields))
    }
    guard sendsUnsafeMethods else { return requests }
    return requests.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private var time: Int { interactions[0].interaction.volatile.recordedAtMicroseconds ?? .max }

  private init(
    _ interactions: [StoredInteraction], sendsUnsafeMethods: Bool, fields: HTTPFields
  ) throws(CassetteError) {
    self.interactions = interactions
    let interaction = interactions[0].interaction
    var request = interaction.request
    let said = interaction.response.webSocket
    let isSpoken = said?.messages.contains { $0.from == .client } == true
    guard sendsUnsafeMethods || request.method.isSafe && !isSpoken else {
      let what = isSpoken ? "what its client said over the WebSocket" : "\(request.method)"
      (plan, withheld) = (.skip("\(what) may change something"), [])
      return
    }
    if let body = interaction.largeRequestBody {
      request.body = try body.open().bytes(at: 0, count: body.size)
    }
    withheld = Self.replaceFields(of: &request, by: fields)
    if Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body) {
      let place = Placeholder.stands(in: request.target) ? "target" : "body"
      plan = .skip("its \(place) holds a secret that was redacted")
    } else if said?.messages.contains(where: { $0.from == .client && Placeholder.stands(in: $0.bytes) })
      == true
    {
      plan = .skip("a message of its client holds a secret that was redacted")
    } else {
      if said != nil { WebSocketHandshake.complete(&request) }
      plan = .send(request, saying: said)
    }
  }

  /// - Returns: the names of fields that were taken out.
  private static func replaceFields(of request: inout HTTPRequest, by fields: HTTPFields) -> [String] {
    let given = Set(fields.map { $0.name.map(ASCII.lowercased) })
    var withheld: [String] = []
    request.fields.removeAll { field in
      if given.contains(field.name.map(ASCII.lowercased)) { return true }
      guard Placeholder.stands(in: field.value) else { return false }
      withheld.append(String(decoding: field.name, as: UTF8.self))
      return true
    }
    for field in fields { request.fields.append(field) }
    return withheld
  }

  package func drifts(in live: RecordedResponse) -> [Drift] {
    Drift.all(from: interactions.map(\.interaction.response), to: live)
  }
}
