public import TapedeckHTTP

/// Header fields in order, with duplicates. Names are case-insensitive.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One field.
  public struct Field: Sendable, Equatable {
    /// The name as it was written.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in order.
  public private(set) var fields: [Field]

  /// Creates a list of fields.
  public init(_ fields: [Field] = []) { self.fields = fields }

  public init(dictionaryLiteral fields: (String, String)...) { self.init(fields.map { Field($0, $1) }) }

  /// Creates a list of fields, sorted by name.
  public init(_ dictionary: [String: String]) {
    self.init(dictionary.sorted { $0.key < $1.key }.map { Field($0.key, $0.value) })
  }

  /// Creates a list from the fields of an HTTP message; bytes that are not UTF-8 are replaced.
  public init(_ fields: HTTPFields) {
    self.init(
      fields.map { field in
        Field(String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self))
      })
  }

  /// The value of the first field with that name. Setting it replaces all of them; `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.isHeaderName(name) }?.value }
    set {
      let place = fields.firstIndex { $0.name.isHeaderName(name) }
      let spelling = place.map { fields[$0].name } ?? name
      fields.removeAll { $0.name.isHeaderName(name) }
      if let newValue { fields.insert(Field(spelling, newValue), at: Swift.min(place ?? .max, fields.count)) }
    }
  }

  /// The values of all fields with that name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.isHeaderName(name) }.map(\.value)
  }

  /// Adds a field at the end.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// The fields by name; values with the same name are joined by commas (RFC 9110 §5.3).
  public var dictionary: [String: String] {
    var dictionary: [String: String] = [:]
    for field in fields where !dictionary.keys.contains(where: { $0.isHeaderName(field.name) }) {
      dictionary[field.name] = values(of: field.name).joined(separator: ", ")
    }
    return dictionary
  }
}

extension HeaderFields: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { fields.count }
  public subscript(index: Int) -> Field { fields[index] }
}

extension String {
  func isHeaderName(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { left, right in
        left == right || ((left ^ right) == 0x20 && (0x61...0x7A).contains(left | 0x20))
      }
  }
}
