internal import TapedeckHTTP

/// Changes to the fields of a response. `headers` sets fields (a text, a number, or a list of texts for several fields of
/// a name) or, with null, removes them; `addHeaders` appends.
struct HeaderEdits: Sendable {
  private typealias Edit = (name: String, values: [[UInt8]])

  /// Replacements of fields; of names that differ only in case, the last value under the first name.
  private var sets: [Edit] = []
  /// The index of each lower-case name in `sets`.
  private var places: [[UInt8]: Int] = [:]
  private var additions: [Edit] = []

  init(_ reader: inout RuleReader) throws(OverrideProblem) {
    for member in ["headers", "addHeaders"] {
      guard var inner = try reader.object(member) else { continue }
      for (name, value) in try inner.readAll({ value, _ in value }) {
        let values = try Self.values(name, value, inner)
        if member == "headers" {
          set(name, values)
        } else {
          if values.isEmpty { throw inner.problem(name, "has no value to add") }
          additions.append((name, values))
        }
      }
    }
  }

  private mutating func set(_ name: String, _ values: [[UInt8]]) {
    let key = Self.key(name.utf8)
    if let place = places[key] {
      sets[place].values = values
    } else {
      places[key] = sets.count
      sets.append((name, values))
    }
  }

  private static func key(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.map(ASCII.lowercased)
  }

  var isEmpty: Bool { sets.isEmpty && additions.isEmpty }

  private static func values(
    _ name: String, _ value: JSONValue, _ reader: RuleReader
  ) throws(OverrideProblem) -> [[UInt8]] {
    let framing = ["content-length", "transfer-encoding", "connection", "keep-alive"]
    if framing.contains(name.lowercased()) {
      throw reader.problem(name, "is set by the proxy, as the body needs it")
    }
    var values: [[UInt8]] = []
    for item in value.array ?? [value] {
      var text = value.isNull ? "" : item.text
      if case .number = item { text = item.description }
      guard let text else {
        throw reader.problem(name, "must be a text, a number, a list of texts, or null to remove it")
      }
      var fields = HTTPFields()
      try reader.checked(name) { try fields.append(name, text) }
      values.append(Array(text.utf8))
    }
    return value.isNull ? [] : values
  }

  /// A field that is set takes the position and the spelling of the first one with its name.
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
    let others = zip(sets, isPlaced).filter { !$1 }.map(\.0) + additions
    for edit in others { Self.append(edit.values, named: Array(edit.name.utf8)[...], to: &result) }
    fields = result
  }

  /// The values were checked when they were declared.
  private static func append(_ values: [[UInt8]], named name: ArraySlice<UInt8>, to fields: inout HTTPFields)
  {
    for value in values { try? fields.append(name: name, value: value) }
  }
}
