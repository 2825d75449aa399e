/// Header or trailer fields as they stood on the wire: in order, with duplicates, with their spelling, as bytes.
///
/// All fields share one buffer; a field is four offsets into it. Names are tokens and values hold no CR, LF, NUL or
/// other control byte: parsers check that before they append, and everyone else goes through the checked `append`.
public struct HTTPFields: Sendable {
  struct Slice: Sendable {
    var nameStart: UInt32
    var nameEnd: UInt32
    var valueStart: UInt32
    var valueEnd: UInt32
  }

  var storage: [UInt8] = []
  var slices: [Slice] = []

  public init() {}

  /// Fields whose bytes a parser has already validated in place.
  init(storage: [UInt8], slices: [Slice]) {
    self.storage = storage
    self.slices = slices
  }

  public var count: Int { slices.count }
  public var isEmpty: Bool { slices.isEmpty }

  /// Appends a field. Throws when the name is no token or the value could split a message (RFC 9110 §5.5).
  public mutating func append(
    name: some Collection<UInt8>, value: some Collection<UInt8>
  ) throws(HTTPFieldError) {
    guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else {
      throw .invalidName(String(decoding: name, as: UTF8.self))
    }
    guard value.allSatisfy(ASCII.isFieldValue) else {
      throw .invalidValue(name: String(decoding: name, as: UTF8.self))
    }
    appendValidated(name: name, value: value.trimmingFieldBlanks())
  }

  /// Appends a field given as text.
  public mutating func append(_ name: String, _ value: String) throws(HTTPFieldError) {
    try append(name: Array(name.utf8), value: Array(value.utf8))
  }

  /// Appends a field written in our own source, where it cannot be wrong; control bytes in `value` become spaces.
  public mutating func append(literal name: StaticString, _ value: String) {
    let bytes = name.withUTF8Buffer { Array($0) }
    appendValidated(name: bytes, value: value.utf8.map { ASCII.isFieldValue($0) ? $0 : ASCII.space })
  }

  private mutating func appendValidated(name: some Collection<UInt8>, value: some Collection<UInt8>) {
    let nameStart = UInt32(storage.count)
    storage.append(contentsOf: name)
    let valueStart = UInt32(storage.count)
    storage.append(contentsOf: value)
    slices.append(
      Slice(
        nameStart: nameStart, nameEnd: valueStart, valueStart: valueStart, valueEnd: UInt32(storage.count)))
  }

  /// Appends a field of another list, which was checked when it entered that list.
  public mutating func append(_ field: HTTPField) { appendValidated(name: field.name, value: field.value) }

  /// Appends a field under the name of another, with a value written in our own source.
  public mutating func append(_ field: HTTPField, value: String) {
    appendValidated(name: field.name, value: value.utf8.map { ASCII.isFieldValue($0) ? $0 : ASCII.space })
  }

  /// Every value of the fields called `name` (lower case), in order.
  public func values(of name: StaticString) -> [ArraySlice<UInt8>] {
    slices.indices.filter { isNamed(name, at: $0) }.map { self[$0].value }
  }

  /// The first value of the fields called `name` (lower case).
  public func first(_ name: StaticString) -> ArraySlice<UInt8>? {
    slices.indices.first { isNamed(name, at: $0) }.map { self[$0].value }
  }

  /// The first value as text; undecodable bytes are replaced, so this is for reading, never for passing on.
  public func text(_ name: StaticString) -> String? {
    first(name).map { String(decoding: $0, as: UTF8.self) }
  }

  public func contains(_ name: StaticString) -> Bool { slices.indices.contains { isNamed(name, at: $0) } }

  /// The list without the fields that `isRemoved` names.
  public mutating func removeAll(where isRemoved: (HTTPField) -> Bool) {
    var kept: [Slice] = []
    kept.reserveCapacity(slices.count)
    for index in slices.indices where !isRemoved(self[index]) { kept.append(slices[index]) }
    slices = kept
  }

  public mutating func removeAll(_ name: StaticString) { removeAll { $0.isNamed(name) } }

  /// Replaces the value of the field at `index`, keeping its place and spelling.
  public mutating func replaceValue(at index: Int, with value: [UInt8]) throws(HTTPFieldError) {
    guard value.allSatisfy(ASCII.isFieldValue) else {
      throw .invalidValue(name: String(decoding: self[index].name, as: UTF8.self))
    }
    slices[index].valueStart = UInt32(storage.count)
    storage.append(contentsOf: value)
    slices[index].valueEnd = UInt32(storage.count)
  }

  func isNamed(_ name: StaticString, at index: Int) -> Bool {
    let slice = slices[index]
    guard Int(slice.nameEnd &- slice.nameStart) == name.utf8CodeUnitCount else { return false }
    return ASCII.equal(storage[Int(slice.nameStart)..<Int(slice.nameEnd)], lowercase: name)
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { slices.count }

  public subscript(index: Int) -> HTTPField {
    let slice = slices[index]
    return HTTPField(
      name: storage[Int(slice.nameStart)..<Int(slice.nameEnd)],
      value: storage[Int(slice.valueStart)..<Int(slice.valueEnd)])
  }
}

extension HTTPFields: Equatable {
  public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.elementsEqual(right) }
}

/// One field line: the bytes of its name, as spelled, and of its value, without surrounding white space.
public struct HTTPField: Equatable, Sendable {
  public var name: ArraySlice<UInt8>
  public var value: ArraySlice<UInt8>

  /// Whether it is called `name`, which is given in lower case.
  public func isNamed(_ name: StaticString) -> Bool {
    self.name.count == name.utf8CodeUnitCount && ASCII.equal(self.name, lowercase: name)
  }
}

/// Why a field was refused.
public enum HTTPFieldError: Error, Equatable, Sendable {
  case invalidName(String)
  case invalidValue(name: String)
}

extension HTTPFieldError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidName(let name): "\(name.debugDescription) is not a header name"
    case .invalidValue(let name): "the value of header \(name) holds a control character"
    }
  }
}

extension Collection<UInt8> {
  fileprivate func trimmingFieldBlanks() -> ArraySlice<UInt8> { Array(self).trimmingBlanks() }
}
