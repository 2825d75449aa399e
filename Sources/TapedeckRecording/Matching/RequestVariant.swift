import TapedeckHTTP
import TapedeckRedaction

/// The fields that select a request's response in addition to the plain key.
///
/// `Range` and the `If-…` fields make the variant: a response to one range is wrong for any other request.
/// Operation fields are in the plain key too, as another operation's response never substitutes.
struct RequestVariant {
  typealias Role = HTTPFields.VariantRole

  struct Field {
    /// In lower case.
    var name: [UInt8]
    var values: [[UInt8]]
    var role: Role
  }

  let fields: [Field]

  /// - Parameter redaction: hides secrets in the fields before comparison.
  init(_ all: HTTPFields, _ redaction: Redaction = .off) {
    guard all.hasVariant else {
      fields = []
      return
    }
    var selected = HTTPFields()
    for (index, field) in all.enumerated() where HTTPFields.variantRole(of: field.name) != nil {
      selected.append(index, of: all)
    }
    var fields: [Field] = []
    for field in redaction.redacted(selected) {
      guard let role = HTTPFields.variantRole(of: field.name) else { continue }
      let name = field.name.map(ASCII.lowercased)
      let value = Self.compared(field.value, role)
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index].values.append(value)
      } else {
        fields.append(Field(name: name, values: [value], role: role))
      }
    }
    self.fields = fields.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  func has(_ role: Role) -> Bool { fields.contains { $0.role == role } }

  /// Whether the request can get a response of this status: 206 needs a range, 304 a condition, 101 a handshake.
  func allows(status: Int) -> Bool {
    switch status {
    case 206: has(.range)
    case 304: has(.condition)
    case 101: has(.webSocket)
    default: true
    }
  }

  /// Whether a response of this status is right for a GET without a range or condition, and so with any: a
  /// server that would not send a 2xx ignores conditions (RFC 9110 §13.2.1).
  static func isFull(status: Int) -> Bool { ![101, 206, 304, 412, 416].contains(status) }

  /// The operation: `ListTables` in `DynamoDB_20120810.ListTables`, `GetUser` in `"urn:users#GetUser"`.
  var operation: ArraySlice<UInt8>? {
    guard let value = fields.first(where: { $0.role == .operation })?.values.first else { return nil }
    let text = value.filter { $0 != UInt8(ascii: "\"") }
    let name = text.split(whereSeparator: { "./#:".utf8.contains($0) }).last
    return name.map { Array($0)[...] }
  }

  /// Range units ignore case (RFC 9110 §14.1), and blanks between ranges mean nothing.
  private static func compared(_ value: ArraySlice<UInt8>, _ role: Role) -> [UInt8] {
    role == .range ? value.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased) : Array(value)
  }
}
