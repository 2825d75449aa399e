package import TapedeckHTTP
import TapedeckRedaction

/// A journal line, `{"crc32":"<8 hex>","interaction":{…,"arrival":n,"base":m}}`; checksums the interaction.
package struct JournalRecord {
  package var tree: JSONValue
  /// The request's number in the recording; it orders the responses to one key.
  var arrival: Int
  /// The key's highest ordinal before this session, so that sealing again gives the same names; 0 to replace.
  var base: Int
}

extension JournalRecord {
  private static let opening = Array(#"{"crc32":""#.utf8)
  /// The older start of a line, followed by the first 16 digits of the interaction's SHA-256.
  private static let olderOpening = Array(#"{"sha256":""#.utf8)
  private static let middle = Array(#"","interaction":"#.utf8)
  /// Enough for most lines, so that the buffer rarely grows.
  private static let usualBytes = 4096

  var line: [UInt8] { Self.line(arrival: arrival, base: base) { $0.members(of: tree) } }

  static func line<Failure: Error>(
    arrival: Int, base: Int, _ write: (inout JSONOutput) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var out = try output(arrival: arrival, base: base, write)
    return out.finish()
  }

  /// The same without a copy of it.
  static func output<Failure: Error>(
    arrival: Int, base: Int, _ write: (inout JSONOutput) throws(Failure) -> Void
  ) throws(Failure) -> JSONOutput {
    var out = JSONOutput(capacity: usualBytes)
    out.beginObject()
    out.member("crc32")
    out.string("00000000")
    out.member("interaction")
    out.beginObject()
    try write(&out)
    out.member("arrival")
    out.number(arrival)
    out.member("base")
    out.number(base)
    out.endObject()
    out.endObject()
    out.withBytes(sign)
    out.endLine()
    return out
  }

  private static func sign(_ line: UnsafeMutableRawBufferPointer) {
    let digits = opening.count..<opening.count + CRC32.digits
    let signed = UnsafeRawBufferPointer(rebasing: line[(digits.upperBound + middle.count)...].dropLast())
    UnsafeMutableRawBufferPointer(rebasing: line[digits]).copyBytes(from: CRC32.hex(of: signed))
  }

  /// Reads a line without its line feed; `nil` when it is incomplete or damaged.
  init?(line: ArraySlice<UInt8>) {
    let payload =
      Self.payload(of: line, behind: Self.opening, CRC32.digits, checksum: CRC32.hex)
      ?? Self.payload(of: line, behind: Self.olderOpening, 16) {
        Array(SHA256Digest(of: $0).hex.utf8.prefix(16))
      }
    guard let payload, let value = try? JSONValue(parsing: payload), let members = value.members,
      members.count > 2, let arrival = members[members.count - 2].value.int,
      let base = members[members.count - 1].value.int,
      arrival >= 0, (0...CassetteNames.maximumOrdinal).contains(base)
    else { return nil }
    self.init(tree: .object(Array(members.dropLast(2))), arrival: arrival, base: base)
  }

  private static func payload(
    of line: ArraySlice<UInt8>, behind opening: [UInt8], _ digits: Int,
    checksum: (UnsafeRawBufferPointer) -> [UInt8]
  ) -> [UInt8]? {
    let digitsStart = line.startIndex + opening.count
    let digitsEnd = digitsStart + digits
    let start = digitsEnd + middle.count
    guard start < line.endIndex, line.last == UInt8(ascii: "}"), line.starts(with: opening),
      line[digitsEnd...].starts(with: middle)
    else { return nil }
    let payload = Array(line[start...].dropLast())
    let expected = payload.withUnsafeBytes(checksum)
    return expected.elementsEqual(line[digitsStart..<digitsEnd]) ? payload : nil
  }
}
