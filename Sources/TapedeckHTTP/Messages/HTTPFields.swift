/// Header or trailer fields as on the wire: in order, with duplicates and spelling, as bytes.
///
/// All fields share one buffer; a field is four offsets into it. Names are tokens and values have no control
/// bytes: parsers check that, and all others use the checked `append`.
public struct HTTPFields: Sendable {
  struct Slice: Sendable {
    var nameStart: UInt32
    var nameEnd: UInt32
    var valueStart: UInt32
    var valueEnd: UInt32

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// The whole line, if it is in `storage` as it is written: `Name: value` and a line end.
    func line(in storage: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
      let (colon, end) = (Int(nameEnd), Int(valueEnd))
      guard Int(valueStart) == colon + 2, end + 2 <= storage.count, storage[colon] == ASCII.colon,
        storage[colon + 1] == ASCII.space, storage[end] == ASCII.carriageReturn,
        storage[end + 1] == ASCII.lineFeed
      else { return nil }
      return Int(nameStart)..<end + 2
    }

    func isNamed(_ name: StaticString, in storage: UnsafeBufferPointer<UInt8>) -> Bool {
      guard Int(nameEnd &- nameStart) == name.utf8CodeUnitCount else { return false }
      return ASCII.equal(UnsafeBufferPointer(rebasing: storage[self.name]), lowercase: name)
    }
  }

  var storage: [UInt8] = []
  var slices: [Slice] = []

  /// Creates an empty header section.
  public init() {}

  /// Fields whose bytes a parser has already validated.
  init(storage: [UInt8], slices: [Slice]) {
    self.storage = storage
    self.slices = slices
  }

  public var count: Int { slices.count }
  public var isEmpty: Bool { slices.isEmpty }

  package var byteCount: Int { storage.count + slices.count * MemoryLayout<Slice>.stride }

  /// Appends a field. Throws when the name is not a token or the value could split a message (RFC 9110 §5.5).
  public mutating func append(
    name: some Collection<UInt8>, value: some Collection<UInt8>
  ) throws(HTTPFieldError) {
    try Self.check(name, value)
    appendValidated(name: name, value: Array(value).trimmingBlanks())
  }

  @inline(__always) private static func check(
    _ name: some Collection<UInt8>, _ value: some Collection<UInt8>
  ) throws(HTTPFieldError) {
    guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else {
      throw .invalidName(String(decoding: name, as: UTF8.self))
    }
    guard value.allSatisfy(ASCII.isFieldValue) else {
      throw .invalidValue(name: String(decoding: name, as: UTF8.self))
    }
  }

  /// Appends a field given as text.
  public mutating func append(_ name: String, _ value: String) throws(HTTPFieldError) {
    try append(name: Array(name.utf8), value: Array(value.utf8))
  }

  /// Appends a field with a known valid name; control bytes in `value` become spaces.
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

  /// Appends a field of another list, which has already checked it.
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

  /// Reserves room for the fields of `other`, and a few more.
  public mutating func reserveCapacity(like other: HTTPFields) {
    slices.reserveCapacity(other.count + 2)
    storage.reserveCapacity(other.storage.count + 64)
  }

  /// Appends a field with the name of another and a value from our own source.
  public mutating func append(_ field: HTTPField, value: String) {
    var value = value
    value.withUTF8 { appendValidated(name: field.name, value: $0) }
    cleanLastValue()
  }

  /// Calls `body` with the bytes of all names and values, possibly with replaced ones among them.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    storage.withUnsafeBytes { body($0) }
  }

  /// The index of the next field called `name` (lower case), from `start` on.
  public func index(of name: StaticString, from start: Int = 0) -> Int? {
    storage.withUnsafeBufferPointer { bytes in
      slices.withUnsafeBufferPointer { slices in
        var index = start
        while index < slices.count {
          if slices[index].isNamed(name, in: bytes) { return index }
          index += 1
        }
        return nil
      }
    }
  }

  /// All values of the fields called `name` (lower case), in order.
  public func values(of name: StaticString) -> [ArraySlice<UInt8>] {
    var values: [ArraySlice<UInt8>] = []
    var next = index(of: name)
    while let index = next {
      values.append(value(at: index))
      next = self.index(of: name, from: index + 1)
    }
    return values
  }

  /// Whether the field at `index` is called `name` (lower case).
  public func isNamed(_ name: StaticString, at index: Int) -> Bool {
    storage.withUnsafeBufferPointer { slices[index].isNamed(name, in: $0) }
  }

  package func nameLength(at index: Int) -> Int { slices[index].name.count }

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

  /// The first value as text, for reading only: bytes that are not UTF-8 are replaced.
  public func text(_ name: StaticString) -> String? {
    first(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether there is a field called `name` (lower case).
  public func contains(_ name: StaticString) -> Bool { index(of: name) != nil }

  /// Removes the fields for which `isRemoved` is true.
  public mutating func removeAll(where isRemoved: (HTTPField) -> Bool) {
    let all = self
    removeSlices { isRemoved(all[$0]) }
  }

  mutating func removeSlices(where isRemoved: (Int) -> Bool) {
    guard let first = slices.indices.first(where: isRemoved) else { return }
    var kept = first
    for index in (first + 1)..<slices.count where !isRemoved(index) {
      slices[kept] = slices[index]
      kept += 1
    }
    slices.removeLast(slices.count - kept)
  }

  /// Removes all fields called `name` (lower case).
  public mutating func removeAll(_ name: StaticString) {
    guard contains(name) else { return }
    removeAll { $0.isNamed(name) }
  }

  /// Replaces the value of the field at `index`, keeping its position and spelling.
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

extension HTTPFields {
  /// Whether names, values and their order are the same, and in the same places of the buffer. `false` does not mean
  /// that they differ.
  package func hasSameBytes(as other: HTTPFields) -> Bool {
    storage.count == other.storage.count && slices.count == other.slices.count
      && storage.withUnsafeBytes { left in other.storage.withUnsafeBytes { left.holds($0) } }
      && slices.withUnsafeBytes { left in other.slices.withUnsafeBytes { left.holds($0) } }
  }
}

extension HTTPFields {
  /// Whether the fields whose names `isMeant` are the same as in another list, in the same order and spelling.
  package func hasSameLines(
    as other: HTTPFields, where isMeant: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    storage.withUnsafeBufferPointer { ours in
      other.storage.withUnsafeBufferPointer { theirs in
        var next = 0
        for slice in slices where isMeant(UnsafeBufferPointer(rebasing: ours[slice.name])) {
          while next < other.slices.count,
            !isMeant(UnsafeBufferPointer(rebasing: theirs[other.slices[next].name]))
          {
            next += 1
          }
          guard next < other.slices.count, slice.isSame(ours, as: other.slices[next], theirs) else {
            return false
          }
          next += 1
        }
        return !other.slices[next...].contains { isMeant(UnsafeBufferPointer(rebasing: theirs[$0.name])) }
      }
    }
  }

  /// Whether there is a field with the spelling and value of that at `index` of another list.
  package func hasLine(_ index: Int, of other: HTTPFields) -> Bool {
    let wanted = other.slices[index]
    return other.storage.withUnsafeBufferPointer { theirs in
      storage.withUnsafeBufferPointer { ours in
        slices.contains { wanted.isSame(theirs, as: $0, ours) }
      }
    }
  }
}

extension HTTPFields.Slice {
  fileprivate func isSame(
    _ storage: UnsafeBufferPointer<UInt8>, as other: HTTPFields.Slice,
    _ otherStorage: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    func same(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
      left.count == right.count
        && UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[left]).holds(
          UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(otherStorage)[right]))
    }
    return same(name, other.name) && same(value, other.value)
  }
}

extension HTTPFields: Equatable {
  public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.elementsEqual(right) }
}

/// One field line: the bytes of its name and value.
public struct HTTPField: Equatable, Sendable {
  /// The name, as spelled.
  public var name: ArraySlice<UInt8>
  /// The value, without surrounding white space.
  public var value: ArraySlice<UInt8>

  /// Whether it is called `name` (lower case).
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

extension HTTPFields {
  /// Appends a checked field. Not generic, because cassettes append thousands.
  package mutating func append(
    nameBytes: ArraySlice<UInt8>, valueBytes: ArraySlice<UInt8>
  ) throws(HTTPFieldError) {
    try append(name: nameBytes, value: valueBytes)
  }

  /// Appends a checked field without an intermediate copy.
  package mutating func append(
    nameBytes: UnsafeRawBufferPointer, valueBytes: UnsafeRawBufferPointer
  ) throws(HTTPFieldError) {
    try Self.check(nameBytes, valueBytes)
    appendValidated(name: nameBytes, value: valueBytes.trimmingBlanks())
  }
}

extension HTTPFields.Slice {
  /// Parses a field line without its line end; refuses blanks before the colon and folding (RFC 9112 §5).
  init(parsing bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) throws(HTTPParseError) {
    var colon = start
    while colon + 8 <= end {
      let letters = ASCII.lettersBeforeOthers(UInt64(littleEndian: ASCII.word(bytes, at: colon)))
      colon += letters
      if letters < 8 { break }
    }
    while colon < end, ASCII.isToken(bytes[colon]) { colon += 1 }
    guard colon > start, colon < end, bytes[colon] == ASCII.colon else { throw .badField }
    var valueStart = colon + 1
    while valueStart < end, ASCII.isBlank(bytes[valueStart]) { valueStart += 1 }
    var valueEnd = end
    while valueEnd > valueStart, ASCII.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
    guard ASCII.endOfFieldValue(bytes, from: valueStart, to: valueEnd) == valueEnd else { throw .badField }
    self.init(
      nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: colon),
      valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: valueEnd))
  }
}
