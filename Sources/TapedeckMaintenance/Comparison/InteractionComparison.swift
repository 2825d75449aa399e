import TapedeckFormats
import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// What differs between two interactions, apart from volatile facts: fields by name; bodies as JSON by path, as text by
/// line, and all else by size and digest.
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
    differences += fields(
      old.request.fields, new.request.fields, kind: "request header",
      ignoring: { $0.isNamed("content-length") })
    differences += bodies(
      old.requestBody, old.request.fields, new.requestBody, new.request.fields, field: "request body")
    return differences
      + fields(old.request.trailers, new.request.trailers, kind: "request trailer")
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
    differences += fields(
      old.head.fields, new.head.fields, kind: "header", ignoring: isVolatile)
    differences += bodies(old.body, old.head.fields, new.body, new.head.fields, field: "body")
    differences += value("chunks", chunks(old), chunks(new))
    differences += value("cut", cut(old), cut(new))
    differences += value("interim responses", interim(old), interim(new))
    return differences + fields(old.trailers, new.trailers, kind: "trailer")
  }

  /// What the bodies say, and where they say the same that they are not packed alike.
  private static func bodies(
    _ old: RecordedBody, _ oldFields: HTTPFields, _ new: RecordedBody, _ newFields: HTTPFields, field: String
  ) -> [RequestDifference] {
    let differences = contents(old.content(oldFields), new.content(newFields), field: field)
    guard differences.isEmpty, old != new else { return differences }
    return [RequestDifference(field: field, recorded: "the same content", received: "compressed otherwise")]
  }

  /// Fields that are new in every response, and the length, which follows from the body.
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

  // MARK: Fields

  /// Compares header fields by name. The order of different names is one difference; the order of values under one name
  /// belongs to that name.
  /// - Parameter kind: what the fields are, as in `header "ETag"`.
  private static func fields(
    _ old: HTTPFields, _ new: HTTPFields, kind: String,
    ignoring isIgnored: (HTTPField) -> Bool = { _ in false }
  ) -> [RequestDifference] {
    let (left, right) = (old.filter { !isIgnored($0) }, new.filter { !isIgnored($0) })
    let (oldValues, newValues) = (byName(left), byName(right))
    var seen: Set<[UInt8]> = []
    let differences = (left + right).compactMap { field -> RequestDifference? in
      let name = lowercased(field)
      guard seen.insert(name).inserted, oldValues[name] != newValues[name] else { return nil }
      return RequestDifference(
        field: "\(kind) \(RequestDifference.quoted(field.name))", recorded: values(oldValues[name]),
        received: values(newValues[name]))
    }
    guard differences.isEmpty, left.map(lowercased) != right.map(lowercased) else { return differences }
    return [
      RequestDifference(field: "order of \(kind)s", recorded: order(left), received: order(right))
    ]
  }

  private static func byName(_ fields: [HTTPField]) -> [[UInt8]: [ArraySlice<UInt8>]] {
    Dictionary(grouping: fields, by: lowercased).mapValues { $0.map(\.value) }
  }

  private static func lowercased(_ field: HTTPField) -> [UInt8] { field.name.map(ASCII.lowercased) }

  private static func values(_ values: [ArraySlice<UInt8>]?) -> String? {
    values?.map { RequestDifference.quoted($0) }.joined(separator: ", ")
  }

  private static func order(_ fields: [HTTPField]) -> String {
    RequestDifference.excerpt(Array(fields.map(\.name).joined(separator: ", ".utf8)))
  }

  // MARK: Bodies

  /// How many differences of one body are reported.
  private static let maximumDifferences = 50

  private static func contents(_ old: RecordedBody, _ new: RecordedBody, field: String) -> [RequestDifference]
  {
    guard old != new else { return [] }
    guard case .bytes(let left) = old, case .bytes(let right) = new, !left.isEmpty, !right.isEmpty else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    if let left = try? JSONValue(parsing: left), let right = try? JSONValue(parsing: right) {
      return json(left, right, field: field)
    }
    guard isText(left), isText(right) else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    return lines(left, right, field: field)
  }

  private static func json(_ left: JSONValue, _ right: JSONValue, field: String) -> [RequestDifference] {
    var comparison = JSONComparison(maximumDifferences: maximumDifferences)
    comparison.compare(left, right, path: "\(field) $")
    guard comparison.differences.isEmpty else { return comparison.differences }
    return [
      RequestDifference(
        field: field, recorded: "the same JSON",
        received: "written in another order or with other white space")
    ]
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy(ASCII.isText) && UTF8Scan.isValid(bytes[...])
  }

  /// From the first to the last line that is not the same.
  private static func lines(_ left: [UInt8], _ right: [UInt8], field: String) -> [RequestDifference] {
    let (old, new) = (lines(left), lines(right))
    let common = CommonEnds(old, new)
    let (oldMiddle, newMiddle) = (old[common.oldRange(old)], new[common.newRange(new)])
    return (0..<min(max(oldMiddle.count, newMiddle.count), maximumDifferences)).map { index in
      RequestDifference(
        field: "\(field) line \(common.head + index + 1)",
        recorded: oldMiddle.dropFirst(index).first.map(RequestDifference.quoted),
        received: newMiddle.dropFirst(index).first.map(RequestDifference.quoted))
    }
  }

  /// Without their line feeds. A missing last one makes the last line another.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() } else { lines.append([]) }
    return lines
  }

  private static func summary(_ body: RecordedBody) -> String? {
    switch body {
    case .bytes([]): nil
    case .bytes(let bytes): "\(bytes.count) bytes, SHA-256 \(SHA256Digest(of: bytes).hex.prefix(12))"
    case .file(let file): "\(file.size) bytes, \(file.name)"
    }
  }
}
