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
