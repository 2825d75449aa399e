/// Writes compact JSON directly into bytes, for documents too frequent to build values for.
///
/// Adds the commas; the caller alternates names and values and balances brackets.
package struct JSONOutput {
  package private(set) var bytes: [UInt8] = []
  private var followsValue = false

  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  package mutating func finish() -> [UInt8] {
    followsValue = false
    return exchange(&bytes, with: [])
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    followsValue = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    followsValue = true
  }

  private mutating func separate() {
    if followsValue { bytes.append(ASCII.comma) }
    followsValue = true
  }

  /// Writes a member's name, which must need no escapes; its value comes next.
  package mutating func member(_ name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(ASCII.colon)
    followsValue = false
  }

  package mutating func members(of value: JSONValue) {
    for member in value.members ?? [] {
      self.value(.string(member.name))
      bytes.append(ASCII.colon)
      followsValue = false
      self.value(member.value)
    }
  }

  package mutating func value(_ value: JSONValue) {
    separate()
    value.write(.compact, to: &bytes)
  }

  package mutating func value(_ compaction: JSONCompaction) {
    separate()
    bytes += compaction.bytes
  }

  package mutating func null() { word("null") }
  package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

  private mutating func word(_ word: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  package mutating func number(_ number: Int) {
    separate()
    JSONNumber.append(number, to: &bytes)
  }

  package mutating func number(thousandths: Int) {
    separate()
    JSONNumber.append(thousandths: thousandths, to: &bytes)
  }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { _ = string(utf8: $0) }
  }

  /// Writes a string. Returns false, and writes nothing, when the content is not UTF-8.
  package mutating func string(utf8 content: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(content)
    let isPlain = JSONString.endOfPlain(raw, from: 0) == raw.count
    guard isPlain || UTF8Scan.isValid(raw) else { return false }
    separate()
    bytes.append(UInt8(ascii: "\""))
    if isPlain {
      bytes.append(contentsOf: content)
    } else {
      JSONString.appendEscaped(content, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
    return true
  }
}
