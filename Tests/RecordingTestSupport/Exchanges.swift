package import TapedeckHTTP
package import TapedeckRecording

package func fields(_ pairs: [(String, String)]) -> HTTPFields {
  var fields = HTTPFields()
  for (name, value) in pairs {
    do { try fields.append(name, value) } catch { fatalError("\(error)") }
  }
  return fields
}

package func exchange(
  _ method: String = "GET", _ target: String = "/", headers: [(String, String)] = [], sends: [UInt8] = [],
  status: Int = 200, answers: [(String, String)] = [("Content-Type", "text/plain")],
  body: [UInt8] = Array("hello\n".utf8), chunks: [Int]? = nil
) -> Interaction {
  let request = HTTPRequest(
    method: HTTPMethod(rawValue: method), target: Array(target.utf8), fields: fields(headers), body: sends)
  let head = HTTPResponseHead(status: status, fields: fields(answers))
  return Interaction(
    request: request, response: RecordedResponse(head: head, body: .bytes(body), chunkSizes: chunks),
    volatile: VolatileFacts(
      recordedAtMicroseconds: 1_795_225_953_123_456, durationMilliseconds: 12.345,
      remoteAddress: "127.0.0.1:80"))
}

extension CassetteRecorder {
  package static func open(testing path: String, replacing: Bool = false) throws -> CassetteRecorder {
    try CassetteRecorder.open(
      path, origins: .one("http://origin.test"), replacing: replacing, isDurable: false)
  }

  package func record(_ interaction: Interaction, arrival: Int? = nil) throws {
    let isRecorded = try record(interaction, arrival: arrival ?? nextArrival())
    precondition(isRecorded)
  }
}

/// Records and seals.
@discardableResult package func record(
  _ interactions: [Interaction], into path: String, replacing: Bool = false
) throws -> SealReport {
  let recorder = try CassetteRecorder.open(testing: path, replacing: replacing)
  for interaction in interactions { try recorder.record(interaction) }
  return try recorder.seal()
}
