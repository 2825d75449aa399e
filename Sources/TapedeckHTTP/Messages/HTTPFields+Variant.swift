extension HTTPFields {
  /// Whether a field may be one of those that make the variant of a request: its name begins like `Range`, `If-…`,
  /// `X-Ms-Range`, `X-Amz-Target` or `SOAPAction`. It may say yes too often, never too seldom, and is asked of every
  /// replayed request.
  package var mayNameVariant: Bool {
    storage.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < slices.count {
        let start = Int(slices[index].nameStart)
        let length = Int(slices[index].nameEnd) - start
        switch bytes[start] | 0x20 {
        case UInt8(ascii: "i"):
          if length > 3, bytes[start + 1] | 0x20 == UInt8(ascii: "f"), bytes[start + 2] == UInt8(ascii: "-") {
            return true
          }
        case UInt8(ascii: "r"): if length == 5 { return true }
        case UInt8(ascii: "s"): if length == 10 { return true }
        case UInt8(ascii: "x"):
          // `X-Ms-…` and `X-Am…`: others of these lengths, such as `X-Request-Id`, stand in many requests.
          if length == 10, bytes[start + 2] | 0x20 == UInt8(ascii: "m") { return true }
          if length == 12, bytes[start + 3] | 0x20 == UInt8(ascii: "m") { return true }
        default: break
        }
        index += 1
      }
      return false
    }
  }
}
