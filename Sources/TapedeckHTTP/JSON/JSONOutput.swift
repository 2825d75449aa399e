/// Writes compact JSON directly into bytes, for documents too frequent to build values for.
///
/// Adds the commas; the caller alternates names and values and balances brackets. Each piece goes at once into memory of
/// its own, because an array that grows would be asked for every byte whether it has room and is not shared.
package struct JSONOutput: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var count = 0
  private var followsValue = false

  package init(capacity: Int = 256) {
    memory = .allocate(byteCount: capacity, alignment: 1)
    self.capacity = capacity
  }

  deinit { memory.deallocate() }

  /// The bytes so far; writing begins anew.
  package mutating func finish() -> [UInt8] {
    let bytes = withBytes { Array($0) }
    (count, followsValue) = (0, false)
    return bytes
  }

  package mutating func endLine() {
    followsValue = false
    room(1).storeBytes(of: ASCII.lineFeed, as: UInt8.self)
  }

  /// Calls `body` with the bytes so far, which it may change.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: memory, count: count))
  }

  /// Room for `size` bytes, behind a comma where one is needed.
  @inline(__always) private mutating func room(_ size: Int) -> UnsafeMutableRawPointer {
    if count + size >= capacity { grow(size) }
    if followsValue {
      memory.storeBytes(of: ASCII.comma, toByteOffset: count, as: UInt8.self)
      count += 1
    }
    count += size
    return memory + (count - size)
  }

  private mutating func grow(_ size: Int) {
    capacity = max(2 * capacity, count + size + 1)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    larger.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = larger
  }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) {
    Self.copy(bytes, to: room(bytes.count))
    followsValue = true
  }

  private mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

  /// Copies bytes. Of eight to sixteen, some are copied twice.
  @inline(__always) private static func copy(
    _ bytes: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer
  ) {
    guard 8...16 ~= bytes.count else {
      return UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: bytes)
    }
    let last = bytes.count - 8
    place.storeBytes(of: ASCII.word(bytes, at: 0), as: UInt64.self)
    place.storeBytes(of: ASCII.word(bytes, at: last), toByteOffset: last, as: UInt64.self)
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  @inline(__always) private mutating func begin(_ bracket: UInt8) {
    room(1).storeBytes(of: bracket, as: UInt8.self)
    followsValue = false
  }

  @inline(__always) private mutating func end(_ bracket: UInt8) {
    followsValue = false
    room(1).storeBytes(of: bracket, as: UInt8.self)
    followsValue = true
  }

  /// Writes a member's name, which must need no escapes; its value comes next.
  package mutating func member(_ name: String) {
    name.utf8.span.withUnsafeBytes { name in
      quote(name, extra: 1).storeBytes(of: ASCII.colon, toByteOffset: name.count + 2, as: UInt8.self)
    }
    followsValue = false
  }

  package mutating func members(of value: JSONValue) {
    for member in value.members ?? [] {
      self.value(.string(member.name))
      followsValue = false
      room(1).storeBytes(of: ASCII.colon, as: UInt8.self)
      self.value(member.value)
    }
  }

  package mutating func value(_ value: JSONValue) { put(value.bytes(.compact)) }

  package mutating func value(_ compaction: JSONCompaction) { compaction.bytes.withUnsafeBytes { put($0) } }

  package mutating func null() { word("null") }
  package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

  private mutating func word(_ word: StaticString) {
    put(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  package mutating func number(_ number: Int) {
    guard number >= 0 else { return put(Array(String(number).utf8)) }
    var (size, limit) = (1, 10)
    while size < 18, number >= limit { (size, limit) = (size + 1, limit * 10) }
    guard number < limit else { return put(Array(String(number).utf8)) }
    Self.write(number, size, to: room(size))
    followsValue = true
  }

  package mutating func number(thousandths: Int) {
    if thousandths >= 0, thousandths.isMultiple(of: 1000) { return number(thousandths / 1000) }
    guard thousandths >= 0 else {
      var digits: [UInt8] = []
      JSONNumber.append(thousandths: thousandths, to: &digits)
      return put(digits)
    }
    number(thousandths / 1000)
    followsValue = false
    var (fraction, size) = (thousandths % 1000, 3)
    while fraction.isMultiple(of: 10) { (fraction, size) = (fraction / 10, size - 1) }
    let place = room(size + 1)
    place.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
    Self.write(fraction, size, to: place + 1)
    followsValue = true
  }

  @inline(__always) private static func write(_ number: Int, _ size: Int, to place: UnsafeMutableRawPointer) {
    var rest = number
    for index in (0..<size).reversed() {
      place.storeBytes(of: 0x30 + UInt8(truncatingIfNeeded: rest % 10), toByteOffset: index, as: UInt8.self)
      rest /= 10
    }
  }

  package mutating func string(_ text: String) {
    text.utf8.span.withUnsafeBufferPointer { _ = string(utf8: $0) }
  }

  /// Writes a string. Returns false, and writes nothing, when the content is not UTF-8.
  package mutating func string(utf8 content: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(content)
    guard JSONString.isPlain(raw) else { return escaped(content) }
    quote(raw)
    return true
  }

  @inline(never) private mutating func escaped(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
    guard UTF8Scan.isValid(UnsafeRawBufferPointer(content)) else { return false }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(content.count + 16)
    JSONString.appendEscaped(content, to: &escaped)
    escaped.withUnsafeBytes { _ = quote($0) }
    return true
  }

  /// Writes a text in quotes, with room for more behind it, and returns its place.
  @inline(__always) @discardableResult
  private mutating func quote(_ content: UnsafeRawBufferPointer, extra: Int = 0) -> UnsafeMutableRawPointer {
    let place = room(content.count + 2 + extra)
    place.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    Self.copy(content, to: place + 1)
    place.storeBytes(of: UInt8(ascii: "\""), toByteOffset: content.count + 1, as: UInt8.self)
    followsValue = true
    return place
  }
}
