import TapedeckHTTP

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

/// One interaction as vcrpy writes it: of a body in a coding it keeps the content, and gives that as the body again.
enum VCRPyExport {
  static func interaction(_ message: ExportedMessage, _ losses: inout ExportLosses) -> YAMLValue {
    let head = message.response.head
    losses.noteVersion(message.answer)
    losses.note("when answers were recorded, how long they took and who gave them is not carried over")
    return [
      "request": [
        "body": message.requestBody.isEmpty ? .null : text(message.requestBody),
        "headers": ExportedFields(message.request.fields, of: message.file, &losses).yaml,
        "method": YAMLValue(message.request.method.rawValue), "uri": YAMLValue(message.url),
      ],
      "response": [
        "body": ["string": text(content(message, &losses))],
        "headers": ExportedFields(head.fields, of: message.file, &losses).yaml,
        "status": [
          "code": YAMLValue(head.status), "message": YAMLValue(String(decoding: head.reason, as: UTF8.self)),
        ],
      ],
    ]
  }

  private static func content(_ message: ExportedMessage, _ losses: inout ExportLosses) -> [UInt8] {
    let coding = BodyCoding(message.response.head.fields)
    guard coding != .identity, !message.responseBody.isEmpty else { return message.responseBody }
    guard let content = coding.decoded(message.responseBody[...]) else {
      losses.note("its body stays in \(coding.name), which vcrpy does not decode", of: message.file)
      return message.responseBody
    }
    losses.note("its body is written without its \(coding.name), as vcrpy does", of: message.file)
    return content
  }

  private static func text(_ bytes: [UInt8]) -> YAMLValue {
    HARBody.text(bytes) == nil ? .binary(bytes) : .text(bytes)
  }
}
