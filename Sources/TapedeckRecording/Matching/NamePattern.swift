import TapedeckHTTP

/// A name, or with `*` at its end all that begin so: `ts`, `utm_*`.
public struct NamePattern: Sendable, Hashable {
  /// Decoded.
  let name: [UInt8]
  let isPrefix: Bool

  /// Reads a pattern, in which `%XX` stands for a byte; `nil` when it is empty.
  init?(_ text: some Collection<UInt8>) {
    guard !text.isEmpty else { return nil }
    isPrefix = text.suffix(1).elementsEqual("*".utf8)
    name = PercentCoding.decode(Array(text.dropLast(isPrefix ? 1 : 0))[...])
  }

  /// Just this name; `nil` when it is empty.
  init?(exactly name: [UInt8]) {
    if name.isEmpty { return nil }
    self.name = name
    isPrefix = false
  }

  func matches(_ other: [UInt8]) -> Bool { isPrefix ? other.starts(with: name) : other == name }
}

/// As it is read again.
extension NamePattern: CustomStringConvertible {
  public var description: String {
    var text = ""
    for byte in name {
      if Self.isPlain(byte) {
        text += String(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return isPrefix ? text + "*" : text
  }

  /// What means nothing in a list of names, nor to a shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "-._~[]:@/".utf8.contains(byte)
  }
}

extension Set<NamePattern> {
  func matches(_ name: [UInt8]) -> Bool { contains { $0.matches(name) } }
}
