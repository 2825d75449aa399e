/// Why bytes are not JSON, and where.
public struct JSONError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The document ends too early.
    case unexpectedEnd
    /// A byte that is not allowed here.
    case unexpectedByte(UInt8)
    /// Something other than the expected member name.
    case expectedMemberName
    /// A byte order mark at the start (RFC 8259 §8.1).
    case byteOrderMark
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// An unescaped control character in a string.
    case controlCharacter(UInt8)
    /// An escape sequence that does not exist.
    case invalidEscape
    /// A number that violates the grammar.
    case invalidNumber
    /// More levels of nesting than the limit.
    case tooDeep(limit: Int)
    /// More bytes than the reader accepts.
    case tooLarge
    /// Bytes after the end of the document.
    case trailingBytes
    /// A conflict marker of a version control system.
    case conflictMarker
  }

  /// What is wrong.
  public var reason: Reason
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  init(_ reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) {
    self.reason = Self.isConflictMarker(bytes, at: offset) ? .conflictMarker : reason
    let position = JSONPosition(offset: offset, in: bytes)
    (line, column) = (position.line, position.column)
  }

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
    return "byte 0x\(String(decoding: ASCII.hexDigits([byte], uppercase: true), as: UTF8.self))"
  }
}
