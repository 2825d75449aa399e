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

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    func isNamed(_ name: StaticString, in storage: UnsafeBufferPointer<UInt8>) -> Bool {
      guard Int(nameEnd &- nameStart) == name.utf8CodeUnitCount else { return false }
      return ASCII.equal(UnsafeBufferPointer(rebasing: storage[self.name]), lowercase: name)
    }
  }

  var storage: [UInt8] = []
  var slices: [Slice] = []

  /// Creates an empty header section.
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
    name.withUTF8Buffer { name in
      var value = value
      value.withUTF8 { appendValidated(name: name, value: $0) }
    }
    cleanLastValue()
  }

  private mutating func cleanLastValue() {
    guard let value = slices.last?.value else { return }
    for index in value where !ASCII.isFieldValue(storage[index]) { storage[index] = ASCII.space }
  }

  mutating func appendValidated(name: some Collection<UInt8>, value: some Collection<UInt8>) {
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

  /// Appends the field at `index` of another list.
  public mutating func append(_ index: Int, of other: HTTPFields) {
    other.storage.withUnsafeBufferPointer { bytes in
      let slice = other.slices[index]
      appendValidated(
        name: UnsafeBufferPointer(rebasing: bytes[slice.name]),
        value: UnsafeBufferPointer(rebasing: bytes[slice.value]))
    }
  }

  /// Makes room for as much as `other` holds, and a little more.
  public mutating func reserveCapacity(like other: HTTPFields) {
    slices.reserveCapacity(other.count + 2)
    storage.reserveCapacity(other.storage.count + 64)
  }

  /// Appends a field under the name of another, with a value written in our own source.
  public mutating func append(_ field: HTTPField, value: String) {
    var value = value
    value.withUTF8 { appendValidated(name: field.name, value: $0) }
    cleanLastValue()
  }

  /// Calls `body` with the bytes of all names and values, one behind the other; what was replaced may be among them.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    storage.withUnsafeBytes { body($0) }
  }

  /// Where the next field called `name` (lower case) stands, looked for from `start` on; nil when there is none.
  public func index(of name: StaticString, from start: Int = 0) -> Int? {
    storage.withUnsafeBufferPointer { bytes in
      var index = start
      while index < slices.count {
        if slices[index].isNamed(name, in: bytes) { return index }
        index += 1
      }
      return nil
    }
  }

  /// Every value of the fields called `name` (lower case), in order.
  public func values(of name: StaticString) -> [ArraySlice<UInt8>] {
    var values: [ArraySlice<UInt8>] = []
    var next = index(of: name)
    while let index = next {
      values.append(value(at: index))
      next = self.index(of: name, from: index + 1)
    }
    return values
  }

  /// Whether the field at `index` is called `name`, which is given in lower case.
  public func isNamed(_ name: StaticString, at index: Int) -> Bool {
    storage.withUnsafeBufferPointer { slices[index].isNamed(name, in: $0) }
  }

  /// Calls `body` with the bytes of the name of the field at `index`.
  package func withName<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[slices[index].name])) }
  }

  /// Calls `body` with the bytes of name and value of the field at `index`.
  package func withBytes(
    at index: Int, _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    storage.withUnsafeBufferPointer { bytes in
      body(
        UnsafeBufferPointer(rebasing: bytes[slices[index].name]),
        UnsafeBufferPointer(rebasing: bytes[slices[index].value]))
    }
  }

  /// The name of the field at `index`, as spelled.
  public func name(at index: Int) -> ArraySlice<UInt8> { storage[slices[index].name] }

  /// The value of the field at `index`.
  public func value(at index: Int) -> ArraySlice<UInt8> { storage[slices[index].value] }

  /// The first value of the fields called `name` (lower case).
  public func first(_ name: StaticString) -> ArraySlice<UInt8>? { index(of: name).map { value(at: $0) } }

  /// The first value as text; undecodable bytes are replaced, so this is for reading, never for passing on.
  public func text(_ name: StaticString) -> String? {
    first(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether there is a field of that name.
  public func contains(_ name: StaticString) -> Bool { index(of: name) != nil }

  /// The list without the fields that `isRemoved` names.
  public mutating func removeAll(where isRemoved: (HTTPField) -> Bool) {
    let all = self
    removeSlices { isRemoved(all[$0]) }
  }

  /// The list without the fields whose index `isRemoved` names; untouched when it names none.
  mutating func removeSlices(where isRemoved: (Int) -> Bool) {
    guard let first = slices.indices.first(where: isRemoved) else { return }
    var kept = first
    for index in (first + 1)..<slices.count where !isRemoved(index) {
      slices[kept] = slices[index]
      kept += 1
    }
    slices.removeLast(slices.count - kept)
  }

  /// Removes all fields of that name.
  public mutating func removeAll(_ name: StaticString) {
    guard contains(name) else { return }
    removeAll { $0.isNamed(name) }
  }

  /// Replaces the value of the field at `index`, keeping its place and spelling.
  public mutating func replaceValue(at index: Int, with value: [UInt8]) throws(HTTPFieldError) {
    guard value.allSatisfy(ASCII.isFieldValue) else {
      throw .invalidValue(name: String(decoding: self[index].name, as: UTF8.self))
    }
    slices[index].valueStart = UInt32(storage.count)
    storage.append(contentsOf: value)
    slices[index].valueEnd = UInt32(storage.count)
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { slices.count }

  public subscript(index: Int) -> HTTPField {
    HTTPField(name: storage[slices[index].name], value: value(at: index))
  }
}

extension HTTPFields: Equatable {
  public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.elementsEqual(right) }
}

/// One field line: the bytes of its name, as spelled, and of its value, without surrounding white space.
public struct HTTPField: Equatable, Sendable {
  /// The name as it was written.
  public var name: ArraySlice<UInt8>
  /// The value without surrounding white space.
  public var value: ArraySlice<UInt8>

  /// Whether it is called `name`, which is given in lower case.
  public func isNamed(_ name: StaticString) -> Bool {
    self.name.count == name.utf8CodeUnitCount && ASCII.equal(self.name, lowercase: name)
  }
}

/// Why a field was refused.
public enum HTTPFieldError: Error, Equatable, Sendable {
  /// A name that is not a token (RFC 9110 §5.1).
  case invalidName(String)
  /// A value with bytes that HTTP does not allow (RFC 9110 §5.5).
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

extension HTTPFields {
  /// Appends a field, checked, of slices: what cassettes append by the thousand, compiled for just that.
  package mutating func append(
    nameBytes: ArraySlice<UInt8>, valueBytes: ArraySlice<UInt8>
  ) throws(HTTPFieldError) {
    try append(name: nameBytes, value: valueBytes)
  }

  /// The same for bytes in place, without any copy on the way.
  package mutating func append(
    nameBytes: UnsafeRawBufferPointer, valueBytes: UnsafeRawBufferPointer
  ) throws(HTTPFieldError) {
    guard !nameBytes.isEmpty, nameBytes.allSatisfy(ASCII.isToken) else {
      throw .invalidName(String(decoding: nameBytes, as: UTF8.self))
    }
    guard valueBytes.allSatisfy(ASCII.isFieldValue) else {
      throw .invalidValue(name: String(decoding: nameBytes, as: UTF8.self))
    }
    appendValidated(name: nameBytes, value: valueBytes.trimmingBlanks())
  }

  /// Whether a byte may stand in a name.
  package static func isNameByte(_ byte: UInt8) -> Bool { ASCII.isToken(byte) }
}

/// Reads one field line, without its line end, into offsets (RFC 9112 §5). Shared by heads and trailers.
enum FieldLineParser {
  /// Parses `bytes[start..<end]`. White space before the colon, folding and control bytes are refused.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
  ) throws(HTTPParseError) -> HTTPFields.Slice {
    var colon = start
    while colon < end, ASCII.isToken(bytes[colon]) { colon += 1 }
    guard colon > start, colon < end, bytes[colon] == ASCII.colon else { throw .badField }
    var valueStart = colon + 1
    while valueStart < end, ASCII.isBlank(bytes[valueStart]) { valueStart += 1 }
    var valueEnd = end
    while valueEnd > valueStart, ASCII.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
    guard ASCII.endOfFieldValue(bytes, from: valueStart, to: valueEnd) == valueEnd else { throw .badField }
    return HTTPFields.Slice(
      nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: colon),
      valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: valueEnd))
  }
}
