import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// One interaction as Ruby's VCR writes it.
enum VCRExport {
  static func interaction(_ message: ExportedMessage, _ losses: inout ExportLosses) -> YAMLValue {
    let head = message.response.head
    let method = message.request.method.rawValue
    if method.uppercased() != method { losses.note("its method is written in lower case", of: message.file) }
    let facts = message.answer.interaction.volatile
    if facts.durationMilliseconds != nil { losses.note("how long answers took is not carried over") }
    return [
      "request": [
        "method": YAMLValue(method.lowercased()), "uri": YAMLValue(message.url),
        "body": body(message.requestBody),
        "headers": ExportedFields(message.request.fields, of: message.file, &losses).yaml,
      ],
      "response": [
        "status": [
          "code": YAMLValue(head.status), "message": YAMLValue(String(decoding: head.reason, as: UTF8.self)),
        ],
        "headers": ExportedFields(head.fields, of: message.file, &losses).yaml,
        "body": body(message.responseBody),
        "http_version": head.version == .http10 ? "1.0" : .null,
      ],
      "recorded_at": YAMLValue(HTTPDate.text(facts.recordedAtMilliseconds ?? 0)),
    ]
  }

  private static func body(_ bytes: [UInt8]) -> YAMLValue {
    guard HARBody.text(bytes) != nil else {
      return ["encoding": "ASCII-8BIT", "base64_string": YAMLValue(Base64.encode(bytes))]
    }
    return ["encoding": "UTF-8", "string": .text(bytes)]
  }
}

/// One interaction as vcrpy writes it with `decode_compressed_response`: some of the clients that it stands in for decode
/// what it replays and some do not, so that a body in no coding is right for all of them.
enum VCRPyExport {
  static func interaction(_ message: ExportedMessage, _ losses: inout ExportLosses) -> YAMLValue {
    let (head, body) = decoded(message, &losses)
    losses.noteVersion(message.answer)
    losses.note("when answers were recorded, how long they took and who gave them is not carried over")
    return [
      "request": [
        "body": message.requestBody.isEmpty ? .null : text(message.requestBody),
        "headers": ExportedFields(message.request.fields, of: message.file, &losses).yaml,
        "method": YAMLValue(message.request.method.rawValue), "uri": YAMLValue(message.url),
      ],
      "response": [
        "body": ["string": text(body)],
        "headers": ExportedFields(head.fields, of: message.file, &losses).yaml,
        "status": [
          "code": YAMLValue(head.status), "message": YAMLValue(String(decoding: head.reason, as: UTF8.self)),
        ],
      ],
    ]
  }

  private static func decoded(
    _ message: ExportedMessage, _ losses: inout ExportLosses
  ) -> (head: HTTPResponseHead, body: [UInt8]) {
    var head = message.response.head
    let coding = BodyCoding(head.fields)
    guard coding != .identity, !message.responseBody.isEmpty else { return (head, message.responseBody) }
    guard let content = coding.decoded(message.responseBody[...]) else {
      losses.note("its body stays in \(coding.name), which not all clients of vcrpy decode", of: message.file)
      return (head, message.responseBody)
    }
    losses.note("its body is written without its \(coding.name)", of: message.file)
    head.fields.removeAll("content-encoding")
    InteractionFormat.correctLength(in: &head.fields, to: content.count)
    return (head, content)
  }

  private static func text(_ bytes: [UInt8]) -> YAMLValue {
    HARBody.text(bytes) == nil ? .binary(bytes) : .text(bytes)
  }
}
