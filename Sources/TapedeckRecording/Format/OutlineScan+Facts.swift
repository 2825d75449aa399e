import TapedeckHTTP

extension OutlineScan {
  /// The last member of a file: what is in it, and the end of it all.
  mutating func facts() throws(Unfamiliar) -> (recordedAt: Int?, hasDate: Bool) {
    var recordedAt: Int?
    var hasDate = false
    var separator: StaticString = "\n    \""
    if takeMember("recordedAt\": \"", after: &separator) {
      recordedAt = Timestamp.microseconds(bytes(try plainText()))
      guard recordedAt != nil else { throw Unfamiliar() }
    }
    if takeMember("date\": \"", after: &separator) {
      _ = try plainText()
      hasDate = true
    }
    if takeMember("durationMilliseconds\": ", after: &separator) { try milliseconds() }
    if takeMember("remoteAddress\": ", after: &separator) {
      guard json.takeString() else { throw Unfamiliar() }
    }
    if takeMember("chunkOffsetsMilliseconds\": [", after: &separator) {
      repeat { try milliseconds() } while json.take(", ")
      try expect("]")
    }
    try expect("\n  }\n}\n")
    return (recordedAt, hasDate)
  }

  private mutating func takeMember(_ name: StaticString, after separator: inout StaticString) -> Bool {
    let start = json.index
    guard json.take(separator), json.take(name) else {
      json.index = start
      return false
    }
    separator = ",\n    \""
    return true
  }

  /// Digits, perhaps with a fraction: nothing that could be more than `VolatileFacts.milliseconds` allows.
  private mutating func milliseconds() throws(Unfamiliar) {
    _ = try number(digits: 12)
    guard json.take(".") else { return }
    let start = json.index
    while json.index < json.bytes.count, ASCII.isDigit(json.bytes[json.index]) { json.index += 1 }
    guard json.index > start else { throw Unfamiliar() }
  }
}
