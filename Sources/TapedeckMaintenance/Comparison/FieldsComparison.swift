import TapedeckHTTP
import TapedeckRecording

/// What differs between two lists of header fields, name by name. The order of different names is one difference; the
/// order of values under one name belongs to that name.
enum FieldsComparison {
  /// - Parameter kind: what the fields are, as in `header "ETag"`.
  static func differences(
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
        field: "\(kind) \(RequestDifference.quoted(field.name))", recorded: text(oldValues[name]),
        received: text(newValues[name]))
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
}
