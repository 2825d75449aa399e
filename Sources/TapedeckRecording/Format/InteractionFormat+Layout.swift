package import TapedeckHTTP
import TapedeckRedaction

/// Lays out cassette files for people: two spaces a level, but a field on one line and numbers side by side.
extension InteractionFormat {
  /// The file contents for an interaction or a manifest.
  package static func fileBytes(_ tree: JSONValue) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(2048)
    writeLines(tree.members ?? [], level: 0, to: &out)
    out.append(UInt8(ascii: "\n"))
    return out
  }

  /// The bytes before a member's value: a line break, the indentation and the name.
  static func opening(of name: JSONString, level: Int) -> [UInt8] {
    lineBreak(level) + JSONValue.string(name).bytes(.spaced) + ": ".utf8
  }

  /// The bytes that end an object or a list with one element per line.
  static func closing(_ bracket: Unicode.Scalar, level: Int) -> [UInt8] {
    lineBreak(level) + [UInt8(ascii: bracket)]
  }

  private static func writeLines(_ members: [JSONMember], level: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out += lineBreak(level + 1)
      JSONValue.string(member.name).write(.spaced, to: &out)
      out += ": ".utf8
      write(member, level: level + 1, to: &out)
    }
    out += members.isEmpty ? [UInt8(ascii: "}")] : closing("}", level: level)
  }

  private static func write(_ member: JSONMember, level: Int, to out: inout [UInt8]) {
    if level == 1, let members = member.value.members {
      writeLines(members, level: level, to: &out)
    } else if fieldLists.contains(where: { member.name.isEqual(to: $0.utf8) }) {
      writePairs(member.value.array ?? [], level: level, to: &out)
    } else if member.name.isEqual(to: RequestMember.body.rawValue.utf8) {
      member.value.write(.indented(2), level: level, to: &out)
    } else {
      member.value.write(.spaced, to: &out)
    }
  }

  private static func writePairs(_ pairs: [JSONValue], level: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    for (index, pair) in pairs.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out += lineBreak(level + 1)
      pair.write(.spaced, to: &out)
    }
    out += pairs.isEmpty ? [UInt8(ascii: "]")] : closing("]", level: level)
  }

  private static func lineBreak(_ level: Int) -> [UInt8] {
    [UInt8(ascii: "\n")] + repeatElement(UInt8(ascii: " "), count: 2 * level)
  }
}

package enum JSONFile {
  package static func parse(_ bytes: [UInt8], file: String) throws(CassetteError) -> JSONValue {
    do throws(JSONError) { return try JSONValue(parsing: bytes) } catch {
      throw .invalidJSON(file: file, error: error)
    }
  }
}

// MARK: - Comparing

extension InteractionFormat {
  static func stableBytes(_ tree: JSONValue) -> [UInt8] {
    fileBytes(.object((tree.members ?? []).filter { !$0.name.isEqual(to: "volatile") }))
  }

  /// The stable file without its last-modified time, and without response field ids that the body repeats.
  static func comparableBytes(_ tree: JSONValue) -> [UInt8] {
    let unmodified = tree.replacing("response") { response in
      response.replacing("headers") { fields in
        .array((fields.array ?? []).filter { $0[0]?.text?.lowercased() != "last-modified" })
      }
    }
    let pairs = tree["volatile"]?[VolatileMember.responseHeaders.rawValue]?.array ?? []
    return pairs.reduce(into: stableBytes(unmodified)) { bytes, pair in
      guard let id = pair[1]?.text.map({ Array($0.utf8) }), id.count >= 8, id.allSatisfy(isIDByte) else {
        return
      }
      var kept: [UInt8] = []
      var start = 0
      for range in ByteSearch.all(id, in: bytes[...]) {
        kept += bytes[start..<range.lowerBound]
        start = range.upperBound
      }
      bytes = kept + bytes[start...]
    }
  }

  /// A byte of ids and base64; times contain blanks.
  private static func isIDByte(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || ".:/+=".utf8.contains(byte)
  }

  package static func bodyNames(_ tree: JSONValue) -> [String] {
    (tree.members ?? []).compactMap { side in
      guard case .object(let members) = side.value,
        let body = members.first(where: { $0.name.isEqual(to: "body") })?.value,
        case .object(let form) = body
      else { return nil }
      return form.first { $0.name.isEqual(to: "file") }?.value.text
    }
  }
}

extension JSONValue {
  fileprivate func replacing(_ name: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
    .object(
      (members ?? []).map { member in
        member.name.isEqual(to: name.utf8) ? JSONMember(member.name, change(member.value)) : member
      })
  }
}
