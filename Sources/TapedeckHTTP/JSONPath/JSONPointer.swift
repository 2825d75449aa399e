/// Names one place in a JSON document (RFC 6901), like `/items/0/name`; the empty pointer is the document.
public struct JSONPointer: Sendable, Hashable {
  /// Decoded names of members, or the digits of indices.
  let tokens: [[UInt8]]

  public init(_ text: String) throws(JSONPatchError) {
    guard text.utf8.first == UInt8(ascii: "/") else {
      guard text.isEmpty else {
        throw JSONPatchError("\(text.debugDescription) is no JSON pointer: it begins with /, like /items/0")
      }
      tokens = []
      return
    }
    var tokens: [[UInt8]] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      guard let token = Self.decoded(part) else {
        throw JSONPatchError(
          "\(text.debugDescription) is no JSON pointer: ~ is written ~0, and / in a name ~1")
      }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func decoded(_ part: Substring.UTF8View) -> [UInt8]? {
    guard part.contains(UInt8(ascii: "~")) else { return Array(part) }
    var out: [UInt8] = []
    var isEscaped = false
    for byte in part {
      switch (isEscaped, byte) {
      case (false, UInt8(ascii: "~")):
        isEscaped = true
        continue
      case (true, UInt8(ascii: "0")): out.append(UInt8(ascii: "~"))
      case (true, UInt8(ascii: "1")): out.append(UInt8(ascii: "/"))
      case (true, _): return nil
      case (false, _): out.append(byte)
      }
      isEscaped = false
    }
    return isEscaped ? nil : out
  }

  func isInside(_ other: JSONPointer) -> Bool {
    tokens.count > other.tokens.count && tokens.starts(with: other.tokens)
  }
}

extension JSONPointer: CustomStringConvertible {
  public var description: String {
    tokens.map { token in
      let text = String(decoding: token, as: UTF8.self)
      return "/" + text.replacing("~", with: "~0").replacing("/", with: "~1")
    }.joined()
  }
}

extension JSONValue {
  /// Returns the value at the place, if any; the last of duplicate members.
  public func value(at pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      guard let next = value.child(token) else { return nil }
      value = next
    }
    return value
  }

  private func child(_ token: [UInt8]) -> JSONValue? {
    switch self {
    case .object(let members): members.last { $0.name.isEqual(to: token) }?.value
    case .array(let items): JSONPointer.index(token).flatMap { self[$0 < items.count ? $0 : -1] }
    default: nil
    }
  }
}

extension JSONPointer {
  /// Digits without leading zeros (RFC 6901 §4).
  static func index(_ token: [UInt8]) -> Int? {
    guard !token.isEmpty, token.count < 19, token.allSatisfy(ASCII.isDigit),
      token.count == 1 || token.first != UInt8(ascii: "0")
    else { return nil }
    return Int(String(decoding: token, as: UTF8.self))
  }
}
