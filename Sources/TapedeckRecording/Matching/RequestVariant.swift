import TapedeckHTTP
import TapedeckRedaction

/// The fields of a request that select its response beside the key.
///
/// `Range` and the `If-…` fields make the variant (RFC 9110 §13 and §14): a response to one range is wrong for another,
/// and wrong for a request without. An `If-…` field that no RFC names counts as well, and so does `X-Ms-Range`, which
/// Azure's clients send in place of `Range`. `X-Amz-Target` and `SOAPAction` name the operation where one URL serves
/// many; they belong to the plain variant's key too, since the response to another operation never stands in.
struct RequestVariant {
  enum Role {
    case operation, range, condition
  }

  struct Field {
    /// In lower case.
    var name: [UInt8]
    /// In order, as they are compared.
    var values: [[UInt8]]
    var role: Role
  }

  /// In the order of their names.
  let fields: [Field]

  /// - Parameter redaction: what is hidden in the fields before they are compared.
  init(_ all: HTTPFields, _ redaction: Redaction = .off) {
    guard all.mayNameVariant else {
      fields = []
      return
    }
    var selected = HTTPFields()
    for (index, field) in all.enumerated() where Self.role(of: field.name) != nil {
      selected.append(index, of: all)
    }
    guard !selected.isEmpty else {
      fields = []
      return
    }
    var fields: [Field] = []
    for field in redaction.redacted(selected) {
      guard let role = Self.role(of: field.name) else { continue }
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

  /// Whether a response of this status belongs to such a request: 206 answers a range, and 304 a condition.
  func allows(status: Int) -> Bool {
    switch status {
    case 206: has(.range)
    case 304: has(.condition)
    default: true
    }
  }

  /// Whether a response of this status is right for a GET without a range or a condition, and so for one with any: a
  /// server that would not send a 2xx ignores conditions (RFC 9110 §13.2.1).
  static func isFull(status: Int) -> Bool { ![206, 304, 412, 416].contains(status) }

  /// The operation that a field names: `ListTables` of `DynamoDB_20120810.ListTables`, `GetUser` of `"urn:users#GetUser"`.
  var operation: ArraySlice<UInt8>? {
    guard let value = fields.first(where: { $0.role == .operation })?.values.first else { return nil }
    let text = value.filter { $0 != UInt8(ascii: "\"") }
    let name = text.split(whereSeparator: { "./#:".utf8.contains($0) }).last
    return name.map { Array($0)[...] }
  }

  static let operationNames: [StaticString] = ["soapaction", "x-amz-target"]

  private static func role(of name: ArraySlice<UInt8>) -> Role? {
    switch name.count {
    case 5 where ASCII.equal(name, lowercase: "range"): .range
    case 10 where ASCII.equal(name, lowercase: "x-ms-range"): .range
    case 10 where ASCII.equal(name, lowercase: "soapaction"): .operation
    case 12 where ASCII.equal(name, lowercase: "x-amz-target"): .operation
    case 4... where ASCII.equal(name.prefix(3), lowercase: "if-"): .condition
    default: nil
    }
  }

  /// Units of ranges have no case (RFC 9110 §14.1), and blanks between them mean nothing.
  private static func compared(_ value: ArraySlice<UInt8>, _ role: Role) -> [UInt8] {
    role == .range ? value.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased) : Array(value)
  }
}

extension KeyWriter {
  mutating func append(_ fields: some Sequence<RequestVariant.Field>) {
    for field in fields {
      append(field.name)
      append(count: field.values.count)
      for value in field.values { append(value) }
    }
  }
}
