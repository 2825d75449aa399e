package import TapedeckHTTP

/// How the files of a cassette are laid out for people: two spaces a level, but a field on one line and numbers side by
/// side.
enum FileLayout {
  static func bytes(_ tree: JSONValue) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(2048)
    writeLines(tree.members ?? [], level: 0, to: &out)
    out.append(UInt8(ascii: "\n"))
    return out
  }

  /// The bytes before the value of a member: a new line, its indentation and the name.
  static func opening(of name: JSONString, level: Int) -> [UInt8] {
    var out: [UInt8] = []
    writeOpening(of: name, level: level, to: &out)
    return out
  }

  /// The bytes that end an object or a list with one line for each of its elements.
  static func closing(_ bracket: Unicode.Scalar, level: Int) -> [UInt8] {
    var out: [UInt8] = []
    breakLine(level, in: &out)
    return out + [UInt8(ascii: bracket)]
  }

  private static func writeOpening(of name: JSONString, level: Int, to out: inout [UInt8]) {
    breakLine(level, in: &out)
    JSONValue.string(name).write(.spaced, to: &out)
    out += ": ".utf8
  }

  private static func writeLines(_ members: [JSONMember], level: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      writeOpening(of: member.name, level: level + 1, to: &out)
      write(member, level: level + 1, to: &out)
    }
    if !members.isEmpty { breakLine(level, in: &out) }
    out.append(UInt8(ascii: "}"))
  }

  private static func write(_ member: JSONMember, level: Int, to out: inout [UInt8]) {
    if level == 1, let members = member.value.members {
      writeLines(members, level: level, to: &out)
    } else if InteractionFormat.fieldLists.contains(where: { member.name.isEqual(to: $0.utf8) }) {
      writePairs(member.value.array ?? [], level: level, to: &out)
    } else if member.name.isEqual(to: InteractionFormat.RequestMember.body.rawValue.utf8) {
      member.value.write(.indented(2), level: level, to: &out)
    } else {
      member.value.write(.spaced, to: &out)
    }
  }

  private static func writePairs(_ pairs: [JSONValue], level: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    for (index, pair) in pairs.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      breakLine(level + 1, in: &out)
      pair.write(.spaced, to: &out)
    }
    if !pairs.isEmpty { breakLine(level, in: &out) }
    out.append(UInt8(ascii: "]"))
  }

  private static func breakLine(_ level: Int, in out: inout [UInt8]) {
    out.append(UInt8(ascii: "\n"))
    out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }
}

/// JSON read from a file.
package enum JSONFile {
  package static func parse(_ bytes: [UInt8], file: String) throws(CassetteError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw .invalidJSON(file: file, error: error)
    }
  }
}
