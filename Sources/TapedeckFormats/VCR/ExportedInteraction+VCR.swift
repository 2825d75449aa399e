import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

extension ExportedInteraction {
  func vcr(_ losses: inout ExportLosses) -> YAMLValue {
    let head = response.head
    let method = request.method.rawValue
    if method.uppercased() != method { losses.note("its method is written in lower case", of: file) }
    if volatile.durationMilliseconds != nil { losses.note("how long responses took is not carried over") }
    return [
      "request": [
        "method": YAMLValue(method.lowercased()), "uri": YAMLValue(url),
        "body": Self.vcrBody(requestBody),
        "headers": yaml(request.fields, &losses),
      ],
      "response": [
        "status": Self.status(head), "headers": yaml(head.fields, &losses),
        "body": Self.vcrBody(responseBody),
        "http_version": head.version == .http10 ? "1.0" : .null,
      ],
      "recorded_at": YAMLValue(HTTPDate.text(volatile.recordedAtMilliseconds ?? 0)),
    ]
  }

  private static func vcrBody(_ bytes: [UInt8]) -> YAMLValue {
    guard JSONValue(ifText: bytes) != nil else {
      return ["encoding": "ASCII-8BIT", "base64_string": YAMLValue(Base64.encode(bytes))]
    }
    return ["encoding": "UTF-8", "string": .text(bytes)]
  }

  /// The interaction as vcrpy writes it with `decode_compressed_response`: some of the clients that it stands in for
  /// decode what it replays and some do not, so that a body in no coding is right for all of them.
  func vcrpy(_ losses: inout ExportLosses) -> YAMLValue {
    let (head, body) = decoded(&losses)
    noteVersion(&losses)
    losses.note("when responses were recorded, how long they took and who gave them is not carried over")
    return [
      "request": [
        "body": requestBody.isEmpty ? .null : Self.scalar(requestBody),
        "headers": yaml(request.fields, &losses),
        "method": YAMLValue(request.method.rawValue), "uri": YAMLValue(url),
      ],
      "response": [
        "body": ["string": Self.scalar(body)],
        "headers": yaml(head.fields, &losses),
        "status": Self.status(head),
      ],
    ]
  }

  private static func status(_ head: HTTPResponseHead) -> YAMLValue {
    [
      "code": YAMLValue(head.status),
      "message": .text(Array(String(decoding: head.reason, as: UTF8.self).utf8)),
    ]
  }

  private func decoded(_ losses: inout ExportLosses) -> (head: HTTPResponseHead, body: [UInt8]) {
    var head = response.head
    let coding = BodyCoding(head.fields)
    guard coding != .identity, !responseBody.isEmpty else { return (head, responseBody) }
    guard let content = coding.decoded(responseBody[...]) else {
      losses.note("its body stays in \(coding.name), which not all clients of vcrpy decode", of: file)
      return (head, responseBody)
    }
    losses.note("its body is written without its \(coding.name)", of: file)
    head.fields.removeAll("content-encoding")
    InteractionFormat.correctLength(in: &head.fields, to: content.count)
    return (head, content)
  }

  private static func scalar(_ bytes: [UInt8]) -> YAMLValue {
    JSONValue(ifText: bytes) == nil ? .binary(bytes) : .text(bytes)
  }

  private func yaml(_ fields: HTTPFields, _ losses: inout ExportLosses) -> YAMLValue {
    .map(
      grouped(fields, &losses).map { name, values in
        YAMLMember(name: Array(name.utf8), value: .list(values.map { YAMLValue($0) }))
      })
  }
}
