package import TapedeckHTTP
import TapedeckRedaction

extension InteractionFormat {
  /// The interaction as its file.
  package static func fileBytes(_ tree: JSONValue) -> [UInt8] { FileLayout.bytes(tree) }

  /// The file without its volatile facts.
  static func stableBytes(_ tree: JSONValue) -> [UInt8] {
    fileBytes(.object((tree.members ?? []).filter { !$0.name.isEqual(to: "volatile") }))
  }

  /// The same without values that mean nothing where all else is equal: ids of the response that also occur in its body,
  /// and when it was last modified.
  static func comparableBytes(_ tree: JSONValue) -> [UInt8] {
    let pairs = tree["volatile"]?[VolatileMember.responseHeaders.rawValue]?.array ?? []
    return pairs.reduce(into: stableBytes(tree.droppingLastModified)) { bytes, pair in
      guard let id = pair[1]?.text.map({ Array($0.utf8) }), id.count >= 8, id.allSatisfy(isIDByte) else {
        return
      }
      bytes.removeSubranges(ByteSearch.all(id, in: bytes[...]))
    }
  }

  /// A byte of ids, and of base64; times have blanks.
  private static func isIDByte(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || ".:/+=".utf8.contains(byte)
  }

  /// The files in `bodies/` that a tree refers to.
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

extension [UInt8] {
  /// - Parameter ranges: in order, none within another.
  fileprivate mutating func removeSubranges(_ ranges: [Range<Int>]) {
    var kept: [UInt8] = []
    kept.reserveCapacity(count)
    var start = startIndex
    for range in ranges {
      kept += self[start..<range.lowerBound]
      start = range.upperBound
    }
    self = kept + self[start...]
  }
}

extension JSONValue {
  /// An interaction without the response's `Last-Modified`.
  fileprivate var droppingLastModified: JSONValue {
    replacing("response") { response in
      response.replacing("headers") { .array(($0.array ?? []).filter { !$0.isLastModified }) }
    }
  }

  private var isLastModified: Bool { self[0]?.text?.lowercased() == "last-modified" }

  private func replacing(_ name: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
    .object(
      (members ?? []).map { member in
        member.name.isEqual(to: name.utf8) ? JSONMember(member.name, change(member.value)) : member
      })
  }
}
