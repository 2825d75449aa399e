import TapedeckHTTP

/// Tells in one pass that a JSON document has nothing to hide, as nearly every document has not. It may be wrong in the
/// other direction only: what it is not sure of, `JSONWalk` takes apart.
///
/// It knows names and values as `JSONWalk` does, by the brackets and commas alone, and the default list only, not the
/// user's rules.
struct JSONQuickCheck {
  /// Containers beyond this many in one another are taken apart: of each, `isObject` and `expectsName` have one bit.
  private static let maximumDepth = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0
  /// The bit of the innermost container is the lowest.
  private var isObject: UInt64 = 0
  private var expectsName: UInt64 = 0

  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { bytes in
      var glance = JSONQuickCheck(bytes)
      return !glance.seesNothing()
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func seesNothing() -> Bool {
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

  /// What numbers, `true`, `false` and `null` are made of.
  private static func isScalar(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }

  /// Steps over a string; whether it ends and has nothing to hide.
  private mutating func passString() -> Bool {
    let start = index + 1
    var end = start
    var hasEscapes = false
    while true {
      end = JSONString.endOfPlainWords(UnsafeRawBufferPointer(bytes), from: end)
      guard end < bytes.count, bytes[end] >= 0x20 else { return false }
      if bytes[end] == UInt8(ascii: "\"") { break }
      if bytes[end] == UInt8(ascii: "\\") {
        // What stands for another character may be any part of a word.
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
    // A letter behind a backslash makes a word longer than it is, and none shorter.
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
