/// Validates UTF-8 (RFC 3629 §4): no overlong forms, no surrogates, nothing above U+10FFFF.
package enum UTF8Scan {
  package static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { isValid($0) }
  }

  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
      } else {
        let length = multibyteLength(bytes, at: index)
        guard length > 0 else { return false }
        index += length
      }
    }
    return true
  }

  /// The length of the sequence of two to four bytes at `index`; 0 when it is not well formed.
  package static func multibyteLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    func isTail(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      index + offset < bytes.count && range.contains(bytes[index + offset])
    }
    switch bytes[index] {
    case 0xC2...0xDF: return isTail(1) ? 2 : 0
    case 0xE0: return isTail(1, 0xA0...0xBF) && isTail(2) ? 3 : 0
    case 0xED: return isTail(1, 0x80...0x9F) && isTail(2) ? 3 : 0
    case 0xE1...0xEF: return isTail(1) && isTail(2) ? 3 : 0
    case 0xF0: return isTail(1, 0x90...0xBF) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF1...0xF3: return isTail(1) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF4: return isTail(1, 0x80...0x8F) && isTail(2) && isTail(3) ? 4 : 0
    default: return 0
    }
  }
}
