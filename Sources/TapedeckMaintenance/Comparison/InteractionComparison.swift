import TapedeckHTTP
import TapedeckRecording

/// What differs between two interactions, apart from volatile facts.
enum InteractionComparison {
  static func differences(_ old: Interaction, _ new: Interaction) -> [RequestDifference] {
    request(old, new) + response(old.response, new.response)
  }

  private static func request(_ old: Interaction, _ new: Interaction) -> [RequestDifference] {
    var differences = value("request method", old.request.method.rawValue, new.request.method.rawValue)
    if old.request.target != new.request.target {
      differences.append(
        RequestDifference(
          field: "request target", recorded: RequestDifference.excerpt(old.request.target),
          received: RequestDifference.excerpt(new.request.target)))
    }
    differences += FieldsComparison.differences(
      old.request.fields, new.request.fields, kind: "request header",
      ignoring: { $0.isNamed("content-length") })
    differences += bodies(
      body(old), old.request.fields, body(new), new.request.fields, field: "request body")
    return differences
      + FieldsComparison.differences(old.request.trailers, new.request.trailers, kind: "request trailer")
  }

  private static func body(_ interaction: Interaction) -> RecordedBody {
    interaction.largeRequestBody.map { .file($0) } ?? .bytes(interaction.request.body)
  }

  private static func response(_ old: RecordedResponse, _ new: RecordedResponse) -> [RequestDifference] {
    var differences = value("status", "\(old.head.status)", "\(new.head.status)")
    if old.head.reason != new.head.reason {
      differences.append(
        RequestDifference(
          field: "reason", recorded: RequestDifference.quoted(old.head.reason),
          received: RequestDifference.quoted(new.head.reason)))
    }
    differences += value("version", old.head.version.rawValue, new.head.version.rawValue)
    differences += FieldsComparison.differences(
      old.head.fields, new.head.fields, kind: "header", ignoring: isVolatile)
    differences += bodies(old.body, old.head.fields, new.body, new.head.fields, field: "body")
    differences += value("chunks", chunks(old), chunks(new))
    differences += value("cut", cut(old), cut(new))
    differences += value("interim responses", interim(old), interim(new))
    return differences + FieldsComparison.differences(old.trailers, new.trailers, kind: "trailer")
  }

  /// What the bodies say, and where they say the same that they are not packed alike.
  private static func bodies(
    _ old: RecordedBody, _ oldFields: HTTPFields, _ new: RecordedBody, _ newFields: HTTPFields, field: String
  ) -> [RequestDifference] {
    let differences = ContentComparison.differences(
      old.content(oldFields), new.content(newFields), field: field)
    guard differences.isEmpty, old != new else { return differences }
    return [RequestDifference(field: field, recorded: "the same content", received: "compressed otherwise")]
  }

  /// What is new in every response, and the length, which tells what the body tells.
  private static func isVolatile(_ field: HTTPField) -> Bool {
    field.isNamed("content-length") || VolatileFields.contains(field, in: .response)
  }

  private static func chunks(_ response: RecordedResponse) -> String {
    if response.isCloseDelimited { return "none, ended by the connection" }
    guard let sizes = response.chunkSizes else { return "none" }
    return String(decoding: ChunkSizes.encode(sizes).bytes(.spaced), as: UTF8.self)
  }

  private static func cut(_ response: RecordedResponse) -> String {
    response.isCutByClient ? "by the client" : "no"
  }

  private static func interim(_ response: RecordedResponse) -> String {
    guard !response.interim.isEmpty else { return "none" }
    return response.interim.map { head in
      (["\(head.status)"]
        + head.fields.map { String(decoding: $0.name + ": ".utf8 + $0.value, as: UTF8.self) })
        .joined(separator: " ")
    }.joined(separator: ", ")
  }

  private static func value(_ field: String, _ old: String, _ new: String) -> [RequestDifference] {
    old == new ? [] : [RequestDifference(field: field, recorded: old, received: new)]
  }
}
