public import TapedeckHTTP

/// Header fields: names regardless of case, in order, with duplicates.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var fields: [Field]

  public init(_ fields: [Field] = []) { self.fields = fields }

  public init(dictionaryLiteral fields: (String, String)...) { self.init(fields.map { Field($0, $1) }) }

  /// In the order of the names.
  public init(_ dictionary: [String: String]) {
    self.init(dictionary.sorted { $0.key < $1.key }.map { Field($0.key, $0.value) })
  }

  public init(_ fields: HTTPFields) {
    self.init(
      fields.map { field in
        Field(String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self))
      })
  }

  /// The value of the first field of that name. Setting it replaces all of them; setting nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.isHeaderName(name) }?.value }
    set {
      let place = fields.firstIndex { $0.name.isHeaderName(name) }
      let spelling = place.map { fields[$0].name } ?? name
      fields.removeAll { $0.name.isHeaderName(name) }
      if let newValue { fields.insert(Field(spelling, newValue), at: Swift.min(place ?? .max, fields.count)) }
    }
  }

  /// Every value of the fields of that name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.isHeaderName(name) }.map(\.value)
  }

  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// Without order; of several fields of one name the values are joined by commas (RFC 9110 §5.3).
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
  /// Equality without regard to ASCII case.
  func isHeaderName(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { left, right in
        left == right || ((left ^ right) == 0x20 && (0x61...0x7A).contains(left | 0x20))
      }
  }
}
