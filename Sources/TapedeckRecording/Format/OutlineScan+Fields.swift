import TapedeckHTTP

extension OutlineScan {
  /// One `["Name", "value"]`.
  private struct Pair {
    var name: UnsafeRawBufferPointer
    /// Nil where null stands in its place.
    var value: UnsafeRawBufferPointer?
    var isEscaped = false

    func isNamed(_ lowercase: StaticString) -> Bool {
      guard name.count == lowercase.utf8CodeUnitCount else { return false }
      return name.indices.allSatisfy { ASCII.lowercased(name[$0]) == lowercase.utf8Start[$0] }
    }
  }

  /// The end-to-end fields of the request.
  mutating func requestFields() throws(Unfamiliar) -> HTTPFields {
    let start = json.index
    json.index += lastFields.count(in: json.bytes, at: start)
    if json.index == start {
      var fields = try writtenFields()
      fields.removeHopByHop()
      lastFields.set(fields, written: bytes(start..<json.index))
    }
    return lastFields.fields
  }

  /// Fields of which no value but that of `Content-Length` is left out.
  private mutating func writtenFields() throws(Unfamiliar) -> HTTPFields {
    var fields = HTTPFields()
    try eachPair { pair throws(Unfamiliar) in
      guard pair.value != nil || pair.isNamed("content-length") else { throw Unfamiliar() }
      do throws(HTTPFieldError) {
        if pair.isEscaped {
          try fields.append(nameBytes: Array(pair.name)[...], valueBytes: Self.unescaped(pair.value)[...])
        } else {
          try fields.append(
            nameBytes: pair.name, valueBytes: pair.value ?? UnsafeRawBufferPointer(rebasing: pair.name[..<0]))
        }
      } catch { throw Unfamiliar() }
    }
    return fields
  }

  private static func unescaped(_ text: UnsafeRawBufferPointer?) -> [UInt8] {
    var out: [UInt8] = []
    var isEscape = false
    for byte in text ?? UnsafeRawBufferPointer(start: nil, count: 0) {
      isEscape = byte == UInt8(ascii: "\\") && !isEscape
      if !isEscape { out.append(byte) }
    }
    return out
  }

  /// What has to be known of the fields of an answer.
  struct ResponseFields {
    /// Whether the value of `Date` is left out.
    var hidesDate = false
    /// Whether the value of `Content-Length` is left out or empty.
    var mayLackLength = false
    /// See `VaryNames`.
    var varying: [[UInt8]] = []
  }

  mutating func responseFields() throws(Unfamiliar) -> ResponseFields {
    var fields = ResponseFields()
    var vary: [ArraySlice<UInt8>] = []
    try eachPair { pair throws(Unfamiliar) in
      guard !pair.name.isEmpty, pair.name.allSatisfy(HTTPFields.isNameByte) else { throw Unfamiliar() }
      if pair.isNamed("content-length") {
        fields.mayLackLength = fields.mayLackLength || pair.value?.allSatisfy(ASCII.isBlank) ?? true
      } else if pair.value == nil {
        guard pair.isNamed("date") else { throw Unfamiliar() }
        fields.hidesDate = true
      } else if pair.isNamed("vary") {
        vary.append(Self.unescaped(pair.value)[...])
      }
    }
    if !vary.isEmpty { fields.varying = VaryNames.names(in: vary) }
    return fields
  }

  /// Every pair up to the bracket that ends the list, which is stepped over.
  private mutating func eachPair(_ take: (Pair) throws(Unfamiliar) -> Void) throws(Unfamiliar) {
    if json.take("]") { return }
    repeat {
      try expect("\n      [\"")
      var pair = Pair(name: bytes(try plainText()))
      try expect(", ")
      if json.take("\"") {
        let (range, isEscaped) = try text()
        pair.value = bytes(range)
        pair.isEscaped = isEscaped
      } else {
        try expect("null")
      }
      try expect("]")
      try take(pair)
    } while json.take(",")
    try expect("\n    ]")
  }
}
