import TapedeckHTTP

/// A name, or with a final `*` all names that begin so: `ts`, `utm_*`.
public struct NamePattern: Sendable, Hashable {
  let name: [UInt8]
  let isPrefix: Bool

  /// Reads a pattern, in which `%XX` is a byte; `nil` when it is empty.
  init?(_ text: some Collection<UInt8>) {
    guard !text.isEmpty else { return nil }
    isPrefix = text.suffix(1).elementsEqual("*".utf8)
    name = PercentCoding.decode(Array(text.dropLast(isPrefix ? 1 : 0))[...])
  }

  init?(exactly name: [UInt8]) {
    if name.isEmpty { return nil }
    self.name = name
    isPrefix = false
  }

  func matches(_ other: [UInt8]) -> Bool { isPrefix ? other.starts(with: name) : other == name }
}

/// The pattern as it can be parsed again; bytes special in a list of names or to a shell are encoded.
extension NamePattern: CustomStringConvertible {
  public var description: String {
    let bytes = name.flatMap { byte in
      ASCII.isAlphanumeric(byte) || "-._~[]:@/".utf8.contains(byte) ? [byte] : PercentCoding.encoded(byte)
    }
    return String(decoding: bytes, as: UTF8.self) + (isPrefix ? "*" : "")
  }
}

extension Set<NamePattern> {
  func matches(_ name: [UInt8]) -> Bool { contains { $0.matches(name) } }
}
