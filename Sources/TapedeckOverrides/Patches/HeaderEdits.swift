internal import TapedeckHTTP

/// Changes to the fields of an answer: `headers` sets (a text, a number, or a list of texts for as many fields) or, with
/// null, removes; `addHeaders` appends.
struct HeaderEdits: Sendable {
  private struct Edit: Sendable {
    let name: String
    var values: [[UInt8]]
  }

  /// What takes the place of fields; of names that differ in case only, the last value under the first name.
  private var sets: [Edit] = []
  /// Where each name stands in `sets`, in lower case.
  private var places: [[UInt8]: Int] = [:]
  private var additions: [Edit] = []

  init(_ reader: inout RuleReader) throws(OverrideProblem) {
    for (member, adds) in [("headers", false), ("addHeaders", true)] {
      guard var inner = try reader.object(member) else { continue }
      for name in inner.names {
        guard let value = inner.value(name) else { continue }
        let values = try Self.values(name, value, inner)
        if adds, values.isEmpty { throw inner.problem(name, "has no value to add") }
        if adds { additions.append(Edit(name: name, values: values)) } else { set(name, values) }
      }
    }
  }

  private mutating func set(_ name: String, _ values: [[UInt8]]) {
    let key = Self.key(name.utf8)
    if let place = places[key] {
      sets[place].values = values
    } else {
      places[key] = sets.count
      sets.append(Edit(name: name, values: values))
    }
  }

  private static func key(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
  }

  var isEmpty: Bool { sets.isEmpty && additions.isEmpty }

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
    if isEmpty { return }
    var result = HTTPFields()
    var isPlaced = [Bool](repeating: false, count: sets.count)
    for field in fields {
      guard let place = places[Self.key(field.name)] else {
        result.append(field)
        continue
      }
      if !isPlaced[place] { Self.append(sets[place].values, named: field.name, to: &result) }
      isPlaced[place] = true
    }
    for (edit, isPlaced) in zip(sets, isPlaced) where !isPlaced { Self.append(edit, to: &result) }
    for edit in additions { Self.append(edit, to: &result) }
    fields = result
  }

  private static func append(_ edit: Edit, to fields: inout HTTPFields) {
    append(edit.values, named: Array(edit.name.utf8)[...], to: &fields)
  }

  private static func append(_ values: [[UInt8]], named name: ArraySlice<UInt8>, to fields: inout HTTPFields)
  {
    // They were checked when they were declared.
    for value in values { try? fields.append(name: name, value: value) }
  }
}
