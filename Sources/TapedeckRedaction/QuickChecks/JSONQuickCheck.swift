import TapedeckHTTP

/// Tells in one pass that a JSON document has nothing to hide, which is true of nearly every document. It may only be
/// wrong in the other direction: what it is not sure of, `JSONWalk` searches.
///
/// It tells names from values as `JSONWalk` does, by the brackets and commas alone. It knows the default list, not the
/// user's rules.
struct JSONQuickCheck {
  /// Each open container has one bit in `isObject` and in `expectsName`.
  private static let maximumDepth = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0
  /// The bit of the innermost container is the lowest.
  private var isObject: UInt64 = 0
  private var expectsName: UInt64 = 0

  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { bytes in
      var check = JSONQuickCheck(bytes)
      return !check.findsNothing()
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func findsNothing() -> Bool {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard passString() else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < Self.maximumDepth else { return false }
        depth += 1
        let bit: UInt64 = byte == UInt8(ascii: "{") ? 1 : 0
        (isObject, expectsName) = (isObject << 1 | bit, expectsName << 1 | bit)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0, (isObject & 1 == 1) == (byte == UInt8(ascii: "}")) else { return false }
        depth -= 1
        (isObject, expectsName) = (isObject >> 1, expectsName >> 1)
      case UInt8(ascii: ","): expectsName |= isObject & 1
      case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
      default: guard Self.isScalar(byte) else { return false }
      }
      index += 1
    }
    return depth == 0
  }

  /// Whether a byte may stand in a number, `true`, `false` or `null`.
  private static func isScalar(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }

  /// Steps over a string; whether it is complete and has nothing to hide.
  private mutating func passString() -> Bool {
    let start = index + 1
    var end = start
    var hasEscapes = false
    while true {
      end = JSONString.endOfPlainWords(UnsafeRawBufferPointer(bytes), from: end)
      guard end < bytes.count, bytes[end] >= 0x20 else { return false }
      if bytes[end] == UInt8(ascii: "\"") { break }
      if bytes[end] == UInt8(ascii: "\\") {
        // An escaped character may be any part of a word.
        guard end + 1 < bytes.count, bytes[end + 1] != UInt8(ascii: "u") else { return false }
        hasEscapes = true
        end += 2
      } else {
        end += 1
      }
    }
    index = end + 1
    let string = UnsafeBufferPointer(rebasing: bytes[start..<end])
    guard expectsName & 1 == 1 else { return !Self.mayHide(value: string, hasEscapes: hasEscapes) }
    expectsName &= ~1
    return !hasEscapes && !Self.mayHide(name: string)
  }

  private static func mayHide(value: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) -> Bool {
    guard let first = value.first else { return false }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return true }
    // An escape can make a word look longer, but never shorter.
    return TextScan.mayHide(value) && (hasEscapes || !TextQuickCheck.isTime(value))
  }

  private static func mayHide(name: UnsafeBufferPointer<UInt8>) -> Bool {
    if JSONWalk.isValueName(name) || FieldKind(name) != .other { return true }
    if SecretNames.mayBeSecret(name), SecretNames.strength(of: Array(name)[...], in: .member) != .none {
      return true
    }
    return name.count >= SecretValue.minimumRandomBytes && TextScan.mayHide(name)
  }
}
