/// Writes compact JSON directly into bytes, for documents too frequent to build values for.
///
/// Adds the commas; the caller alternates names and values and balances brackets. Each piece goes at once into memory of
/// its own, because an array that grows would be asked for every byte whether it has room and is not shared.
package struct JSONOutput: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0
  private var followsValue = false

  package init(capacity: Int = 256) { memory = .allocate(byteCount: capacity, alignment: 1) }

  deinit { memory.deallocate() }

  /// The bytes so far; writing begins anew.
  package mutating func finish() -> [UInt8] {
    let bytes = Array(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    (count, followsValue) = (0, false)
    return bytes
  }

  /// Calls `write` with room for `size` bytes, behind a comma where one is needed.
  @inline(__always) private mutating func put(_ size: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    if count + size >= memory.count { grow(size) }
    if followsValue {
      memory[count] = ASCII.comma
      count += 1
    }
    write(UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + size]))
    count += size
  }

  private mutating func grow(_ size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(2 * memory.count, count + size + 1), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) {
    put(bytes.count) { $0.copyMemory(from: bytes) }
    followsValue = true
  }

  private mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  private mutating func begin(_ bracket: UInt8) {
    put(1) { $0[0] = bracket }
    followsValue = false
  }

  private mutating func end(_ bracket: UInt8) {
    followsValue = false
    put(1) { $0[0] = bracket }
    followsValue = true
  }

  /// Writes a member's name, which must need no escapes; its value comes next.
  package mutating func member(_ name: String) {
    var name = name
    name.withUTF8 { name in
      put(name.count + 3) { place in
        Self.quote(UnsafeRawBufferPointer(name), in: place)
        place[name.count + 2] = ASCII.colon
      }
    }
    followsValue = false
  }

  package mutating func members(of value: JSONValue) {
    for member in value.members ?? [] {
      self.value(.string(member.name))
      followsValue = false
      put(1) { $0[0] = ASCII.colon }
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
    put(size) { place in
      var rest = number
      for index in (0..<size).reversed() {
        place[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
    followsValue = true
  }

  package mutating func number(thousandths: Int) {
    if thousandths >= 0, thousandths.isMultiple(of: 1000) { return number(thousandths / 1000) }
    var digits: [UInt8] = []
    JSONNumber.append(thousandths: thousandths, to: &digits)
    put(digits)
  }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { _ = string(utf8: $0) }
  }

  /// Writes a string. Returns false, and writes nothing, when the content is not UTF-8.
  package mutating func string(utf8 content: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(content)
    if JSONString.isPlain(raw) {
      quote(raw)
    } else {
      guard UTF8Scan.isValid(raw) else { return false }
      var escaped: [UInt8] = []
      JSONString.appendEscaped(content, to: &escaped)
      escaped.withUnsafeBytes { quote($0) }
    }
    return true
  }

  private mutating func quote(_ content: UnsafeRawBufferPointer) {
    put(content.count + 2) { Self.quote(content, in: $0) }
    followsValue = true
  }

  private static func quote(_ content: UnsafeRawBufferPointer, in place: UnsafeMutableRawBufferPointer) {
    place[0] = UInt8(ascii: "\"")
    UnsafeMutableRawBufferPointer(rebasing: place[1...]).copyMemory(from: content)
    place[content.count + 1] = UInt8(ascii: "\"")
  }
}
