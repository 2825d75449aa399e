/// Why bytes are not JSON, and where: lines and columns count from 1, columns in characters.
public struct JSONError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case unexpectedEnd
    case unexpectedByte(UInt8)
    case expectedMemberName
    case byteOrderMark
    case invalidUTF8
    case controlCharacter(UInt8)
    case invalidEscape
    case invalidNumber
    case tooDeep(limit: Int)
    case tooLarge
    case trailingBytes
    case conflictMarker
  }

  public var reason: Reason
  public var line: Int
  public var column: Int

  init(_ reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) {
    self.reason = Self.isConflictMarker(bytes, at: offset) ? .conflictMarker : reason
    let position = JSONPosition(offset: offset, in: bytes)
    (line, column) = (position.line, position.column)
  }

  /// Whether a line begins at the offset as version control writes it around the sides of a conflict.
  private static func isConflictMarker(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    let length = 7
    guard offset + length <= bytes.count, offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n"),
      "<=>|".utf8.contains(bytes[offset])
    else { return false }
    return bytes[offset..<offset + length].allSatisfy { $0 == bytes[offset] }
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String { "\(reason) at line \(line), column \(column)" }
}

extension JSONError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unexpectedEnd: "the JSON ends too early"
    case .unexpectedByte(let byte): "unexpected \(Self.name(byte))"
    case .expectedMemberName: "a member name in double quotes is expected"
    case .byteOrderMark: "JSON must not begin with a byte order mark"
    case .invalidUTF8: "the bytes are not UTF-8"
    case .controlCharacter(let byte): "\(Self.name(byte)) must be escaped in a string"
    case .invalidEscape: "unknown escape in a string"
    case .invalidNumber: "malformed number"
    case .tooDeep(let limit): "more than \(limit) levels of nesting"
    case .tooLarge: "JSON of 4 GiB and more is not read"
    case .trailingBytes: "something follows the JSON"
    case .conflictMarker: "this is a merge-conflict marker: keep one side and remove the markers"
    }
  }

  private static func name(_ byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "`\(Character(UnicodeScalar(byte)))`" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
  }
}
