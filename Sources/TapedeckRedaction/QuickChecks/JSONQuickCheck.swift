import TapedeckHTTP

/// Tells in one pass that a JSON document has no secrets; errs only toward the search by `JSONWalk`. It tells
/// names from values by brackets and commas, as `JSONWalk` does, and knows only the default list.
struct JSONQuickCheck {
  /// One bit for each open container in `isObject` and in `expectsName`.
  private static let maximumDepth = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0
  /// The innermost container has the lowest bit.
  private var isObject: UInt64 = 0
  private var expectsName: UInt64 = 0
  /// Whether the next value may be the name of a value beside it: `{"name": "password", "value": "…"}`.
  private var expectsHeldName = false
  /// What `SecretNames.nextSuspect` has found.
  private var suspect = -1
  /// Whether a string may hold a secret that needs no word.
  private let needsNoWord: Bool

  /// - Parameter hasSecrets: whether there are secrets in a value that may have some, given its range.
  static func mayHide(_ text: ArraySlice<UInt8>, _ hasSecrets: (Range<Int>) -> Bool = { _ in true }) -> Bool {
    withoutActuallyEscaping(hasSecrets) { hasSecrets in
      text.withUnsafeBufferPointer { bytes in
        let start = text.startIndex
        var check = JSONQuickCheck(bytes) { hasSecrets($0.lowerBound + start..<$0.upperBound + start) }
        return !check.findsNothing()
      }
    }
  }

  private let hasSecrets: (Range<Int>) -> Bool

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ hasSecrets: @escaping (Range<Int>) -> Bool) {
    self.bytes = bytes
    needsNoWord = TextScan.mayHideWithoutWord(bytes)
    self.hasSecrets = hasSecrets
  }

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
      default:
        let scalar = bytes[index...].prefix(while: JSONWalk.isScalar)
        guard !scalar.isEmpty, JSONWalk.isLiteral(scalar) else { return false }
        index = scalar.endIndex
        continue
      }
      index += 1
    }
    return depth == 0
  }

  /// Skips a string; returns whether it is complete and has no secret.
  private mutating func passString() -> Bool {
    let start = index + 1
    var end = start
    var (hasEscapes, isASCII) = (false, true)
    while true {
      end = JSONString.endOfPlainWords(UnsafeRawBufferPointer(bytes), from: end)
      guard end < bytes.count, bytes[end] >= 0x20 else { return false }
      if bytes[end] == UInt8(ascii: "\"") { break }
      if bytes[end] == UInt8(ascii: "\\") {
        // An escaped character may be any part of a word.
        guard end + 1 < bytes.count, bytes[end + 1] != UInt8(ascii: "u") else { return false }
        (hasEscapes, isASCII) = (true, isASCII && bytes[end + 1] < 0x80)
        end += 2
      } else {
        isASCII = isASCII && bytes[end] < 0x80
        end += 1
      }
    }
    index = end + 1
    let mayHoldWord = !isASCII || holdsSuspect(start..<end)
    let string = UnsafeBufferPointer(rebasing: bytes[start..<end])
    guard expectsName & 1 == 1 else {
      let isItem = isObject & 1 == 0
      // An item may be the name of the next one.
      if isItem && (JSONWalk.isShortOption(string) || Self.mayName(string, mayHoldWord))
        || expectsHeldName && Self.mayEndWithName(string, mayHoldWord)
      {
        return false
      }
      return !mayHide(value: string, hasEscapes: hasEscapes, mayHoldWord)
        || !hasEscapes && !Self.mayNest(string) && !hasSecrets(start..<end)
    }
    expectsName &= ~1
    expectsHeldName = JSONWalk.isNameName(string)
    return !hasEscapes && !Self.mayName(string, mayHoldWord) && !JSONWalk.tellsKind(string)
      && (string.count < SecretValue.minimumRandomBytes
        || !mayHoldWord && !needsNoWord || !TextScan.mayHide(string))
      && !(string.count == 4 && mayBeSentCode(string))
  }

  /// Whether a string of ASCII may have a word of the table, or a long one. All strings up to the next suspect have none.
  private mutating func holdsSuspect(_ string: Range<Int>) -> Bool {
    if suspect < string.lowerBound { suspect = SecretNames.nextSuspect(in: bytes, from: string.lowerBound) }
    return suspect < string.upperBound
  }

  /// Whether a name is `code` and digits in quotes follow it.
  private func mayBeSentCode(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard ASCII.equal(name, lowercase: "code") else { return false }
    let rest = bytes[index...].drop { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    return rest.first == UInt8(ascii: "\"") && rest.dropFirst().first.map(ASCII.isDigit) == true
  }

  /// Whether a value may be JSON, or tell about the values beside it.
  private static func mayNest(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[") || JSONWalk.isSecretType(value)
  }

  private func mayHide(value: UnsafeBufferPointer<UInt8>, hasEscapes: Bool, _ mayHoldWord: Bool) -> Bool {
    guard !value.isEmpty else { return false }
    if Self.mayNest(value) { return true }
    // An escape can make a word look longer, but never shorter.
    return (mayHoldWord || needsNoWord) && TextScan.mayHide(value)
      && (hasEscapes || !TextScan.isOrdinary(value))
  }

  /// The same of a path, as in a patch (RFC 6902 §3).
  private static func mayEndWithName(_ path: UnsafeBufferPointer<UInt8>, _ mayHoldWord: Bool) -> Bool {
    FieldKind(path) != .other || mayHoldWord && SecretNames.mayBeSecret(path)
  }

  /// Whether values of this name may be secrets.
  private static func mayName(_ name: UnsafeBufferPointer<UInt8>, _ mayHoldWord: Bool) -> Bool {
    FieldKind(name) != .other
      || mayHoldWord && SecretNames.mayBeSecret(name)
        && SecretNames.strength(of: Array(name)[...], in: .member) != .none
  }
}
