internal import TapedeckHTTP

/// Changes to the fields of an answer: `headers` sets (a text, a number, or a list of texts for as many fields) or, with
/// null, removes; `addHeaders` appends.
struct HeaderEdits: Sendable {
  struct Edit: Sendable {
    let name: String
    let values: [[UInt8]]
    /// Whether the fields of that name that are there stay.
    let adds: Bool
  }

  private(set) var edits: [Edit] = []

  init(_ reader: inout RuleReader) throws(OverrideProblem) {
    for (member, adds) in [("headers", false), ("addHeaders", true)] {
      guard var inner = try reader.object(member) else { continue }
      for name in inner.names {
        guard let value = inner.value(name) else { continue }
        let values = try Self.values(name, value, inner)
        if adds, values.isEmpty { throw inner.problem(name, "has no value to add") }
        edits.append(Edit(name: name, values: values, adds: adds))
      }
    }
  }

  var isEmpty: Bool { edits.isEmpty }

  private static func values(
    _ name: String, _ value: JSONValue, _ reader: RuleReader
  ) throws(OverrideProblem) -> [[UInt8]] {
    if isFraming(name) { throw reader.problem(name, "is written by the proxy, as the body needs it") }
    if value.isNull {
      try check(name, "", reader)
      return []
    }
    let texts = (value.array ?? [value]).map { item -> String? in
      if case .number = item { return item.description }
      return item.text
    }
    var values: [[UInt8]] = []
    for text in texts {
      guard let text else {
        throw reader.problem(name, "must be a text, a number, a list of texts, or null to remove it")
      }
      try check(name, text, reader)
      values.append(Array(text.utf8))
    }
    return values
  }

  private static func isFraming(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "connection", "keep-alive"].contains(name.lowercased())
  }

  private static func check(_ name: String, _ text: String, _ reader: RuleReader) throws(OverrideProblem) {
    var fields = HTTPFields()
    do { try fields.append(name, text) } catch { throw reader.problem(name, "\(error)") }
  }

  /// Set fields take the place, and the spelling, of the first that is there.
  func apply(to fields: inout HTTPFields) {
    for edit in edits { Self.apply(edit, to: &fields) }
  }

  private static func apply(_ edit: Edit, to fields: inout HTTPFields) {
    var result = HTTPFields()
    var isPlaced = edit.adds
    for field in fields {
      guard !edit.adds, isName(edit.name, field.name) else {
        result.append(field)
        continue
      }
      if !isPlaced { append(edit.values, named: field.name, to: &result) }
      isPlaced = true
    }
    if !isPlaced || edit.adds { append(edit.values, named: Array(edit.name.utf8)[...], to: &result) }
    fields = result
  }

  private static func isName(_ name: String, _ other: ArraySlice<UInt8>) -> Bool {
    name.utf8.count == other.count
      && zip(name.utf8, other).allSatisfy { $0 == $1 || (($0 ^ $1) == 0x20 && ($0 | 0x20) &- 0x61 < 26) }
  }

  private static func append(_ values: [[UInt8]], named name: ArraySlice<UInt8>, to fields: inout HTTPFields)
  {
    // They were checked when they were declared.
    for value in values { try? fields.append(name: name, value: value) }
  }
}
