extension HTTPFields {
  /// Appends a field, checked, of slices: what cassettes append by the thousand, compiled for just that.
  package mutating func append(
    nameBytes: ArraySlice<UInt8>, valueBytes: ArraySlice<UInt8>
  ) throws(HTTPFieldError) {
    try append(name: nameBytes, value: valueBytes)
  }
}
