import TapedeckHTTP

/// One recording in a journal: `{"sha256":"<16 hex>","interaction":{…,"arrival":n,"base":m}}`, the digest being that of
/// the interaction's bytes.
struct JournalRecord {
  /// The interaction as `InteractionFormat` writes it.
  var tree: JSONValue
  /// When its request came, counted in requests; orders the answers to one key.
  var arrival: Int
  /// The highest ordinal its key had before this session; 0 when the session replaces. Sealing a second time gives
  /// the same names because of it.
  var base: Int

  private static let opening = Array(#"{"sha256":""#.utf8)
  private static let middle = Array(#"","interaction":"#.utf8)
  private static let digestDigits = 16

  init(tree: JSONValue, arrival: Int, base: Int) {
    self.tree = tree
    self.arrival = arrival
    self.base = base
  }

  /// The line with its line feed.
  var line: [UInt8] {
    let own = [JSONMember("arrival", JSONValue(arrival)), JSONMember("base", JSONValue(base))]
    let payload = JSONValue.object((tree.members ?? []) + own).bytes()
    var line: [UInt8] = []
    line.reserveCapacity(payload.count + 64)
    line += Self.opening
    line += SHA256Digest(of: payload).hex.utf8.prefix(Self.digestDigits)
    line += Self.middle
    line += payload
    line += "}\n".utf8
    return line
  }

  /// Nil when the line is not whole or not as it was written.
  /// - Parameter line: without its line feed.
  init?(line: ArraySlice<UInt8>) {
    let digestStart = line.startIndex + Self.opening.count
    let digestEnd = digestStart + Self.digestDigits
    let payloadStart = digestEnd + Self.middle.count
    guard payloadStart < line.endIndex, line.last == UInt8(ascii: "}"), line.starts(with: Self.opening),
      line[digestEnd...].starts(with: Self.middle)
    else { return nil }
    let payload = Array(line[payloadStart..<(line.endIndex - 1)])
    guard
      SHA256Digest(of: payload).hex.utf8.prefix(Self.digestDigits).elementsEqual(
        line[digestStart..<digestEnd]),
      let value = try? JSONValue(parsing: payload), let members = value.members, members.count > 2,
      let arrival = members[members.count - 2].value.int, let base = members[members.count - 1].value.int,
      arrival >= 0, (0...CassetteNames.maximumOrdinal).contains(base)
    else { return nil }
    self.init(tree: .object(Array(members.dropLast(2))), arrival: arrival, base: base)
  }
}
