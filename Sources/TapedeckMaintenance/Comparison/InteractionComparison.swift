import TapedeckFormats
import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// Compares two interactions without their volatile facts: fields by name, JSON bodies by path, text bodies by line, and
/// other bodies by size and digest.
enum InteractionComparison {
  static func differences(_ old: Interaction, _ new: Interaction) -> [RequestDifference] {
    request(old, new) + response(old.response, new.response)
  }

  private static func request(_ old: Interaction, _ new: Interaction) -> [RequestDifference] {
    let (left, right) = (old.request, new.request)
    var found = values("request method", left.method, right.method) { $0.rawValue }
    found += values("request target", left.target, right.target, RequestDifference.excerpt)
    found += fields(
      left.fields, right.fields, kind: "request header", ignoring: { $0.isNamed("content-length") })
    found += bodies(old.requestBody, left.fields, new.requestBody, right.fields, field: "request body")
    return found + fields(left.trailers, right.trailers, kind: "request trailer")
  }

  private static func response(_ old: RecordedResponse, _ new: RecordedResponse) -> [RequestDifference] {
    var found = values("status", old.head.status, new.head.status) { "\($0)" }
    found += values("reason", old.head.reason, new.head.reason, RequestDifference.quoted)
    found += values("version", old.head.version, new.head.version) { $0.rawValue }
    found += fields(old.head.fields, new.head.fields, kind: "header", ignoring: isVolatile)
    found += bodies(old.body, old.head.fields, new.body, new.head.fields, field: "body")
    found += values("chunks", chunks(old), chunks(new)) { $0 }
    found += values("cut", old.isCutByClient, new.isCutByClient) { $0 ? "by the client" : "no" }
    found += webSockets(old.webSocket ?? RecordedWebSocket(), new.webSocket ?? RecordedWebSocket())
    found += values("interim responses", interim(old), interim(new)) { $0 }
    return found + fields(old.trailers, new.trailers, kind: "trailer")
  }

  static func values<Value: Equatable>(
    _ field: String, _ old: Value, _ new: Value, _ text: (Value) -> String?
  ) -> [RequestDifference] {
    old == new ? [] : [RequestDifference(field: field, recorded: text(old), received: text(new))]
  }

  /// Compares the bodies without their coding; a difference in coding alone is one too.
  private static func bodies(
    _ old: RecordedBody, _ oldFields: HTTPFields, _ new: RecordedBody, _ newFields: HTTPFields, field: String
  ) -> [RequestDifference] {
    let differences = contents(old.content(oldFields), new.content(newFields), field: field)
    guard differences.isEmpty, old != new else { return differences }
    return [RequestDifference(field: field, recorded: "the same content", received: "compressed differently")]
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

  private static func interim(_ response: RecordedResponse) -> String {
    guard !response.interim.isEmpty else { return "none" }
    return response.interim.map { head in
      (["\(head.status)"]
        + head.fields.map { String(decoding: $0.name + ": ".utf8 + $0.value, as: UTF8.self) })
        .joined(separator: " ")
    }.joined(separator: ", ")
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
    let differences = (left + right).groupedInOrder(by: lowercased).flatMap { name, fields in
      values("\(kind) \(RequestDifference.quoted(fields[0].name))", oldValues[name], newValues[name], text)
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

  private static func text(_ values: [ArraySlice<UInt8>]?) -> String? {
    values?.map { RequestDifference.quoted($0) }.joined(separator: ", ")
  }

  private static func order(_ fields: [HTTPField]) -> String {
    RequestDifference.excerpt(Array(fields.map(\.name).joined(separator: ", ".utf8)))
  }

  // MARK: Bodies

  static let maximumDifferences = 50

  static func contents(
    _ old: RecordedBody, _ new: RecordedBody, field: String
  ) -> [RequestDifference] {
    guard old != new else { return [] }
    guard case .bytes(let left) = old, case .bytes(let right) = new, !left.isEmpty, !right.isEmpty else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    if let left = try? JSONValue(parsing: left), let right = try? JSONValue(parsing: right) {
      var comparison = JSONComparison(maximumDifferences: maximumDifferences)
      comparison.compare(left, right, path: "\(field) $")
      guard comparison.differences.isEmpty else { return comparison.differences }
      let difference = "written in another order or with other white space"
      return [RequestDifference(field: field, recorded: "the same JSON", received: difference)]
    }
    guard [left, right].allSatisfy({ $0.allSatisfy(ASCII.isText) && UTF8Scan.isValid($0[...]) }) else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    return lines(left, right, field: field)
  }

  /// Compares the lines from the first to the last difference.
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

  /// The lines without their line feeds; a missing final line feed changes the last line.
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
