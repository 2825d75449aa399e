internal import TapedeckHTTP

/// Reads the few elements that we need from the documents of a store. Attributes, comments and namespaces are passed
/// over, and a document that ends early gives what it has up to there.
enum StoreXML {
  /// An object in a list.
  struct Item: Equatable {
    var key = ""
    var bytes = 0
    /// As in `2026-11-24T19:00:00.000Z`.
    var modified = ""
  }

  struct List: Equatable {
    var items: [Item] = []
    /// Where the next page begins; `nil` for the last one.
    var next: String?
  }

  /// The text of the first element of a name.
  static func text(of name: String, in document: [UInt8]) -> String? {
    var found: String?
    walk(document) { element, text in
      if found == nil, element == name { found = text }
    }
    return found
  }

  /// A page of ListObjectsV2. Keys are percent-encoded where it says so; not every store heeds `encoding-type=url`.
  static func list(_ document: [UInt8]) -> List {
    var list = List()
    var item = Item()
    var isTruncated = false
    var isEncoded = false
    walk(document) { element, text in
      switch element {
      case "EncodingType": isEncoded = text == "url"
      case "Key": item.key = text
      case "Size": item.bytes = Int(text) ?? 0
      case "LastModified": item.modified = text
      case "Contents":
        list.items.append(item)
        item = Item()
      case "IsTruncated": isTruncated = text == "true"
      case "NextContinuationToken": list.next = text
      default: break
      }
    }
    if !isTruncated { list.next = nil }
    if isEncoded {
      for index in list.items.indices { list.items[index].key = decoded(list.items[index].key) }
    }
    return list
  }

  /// Percent-encoded text in which a plus is a space, as stores encode keys.
  private static func decoded(_ text: String) -> String {
    String(decoding: PercentCoding.decode(Array(text.utf8)[...], plusIsSpace: true), as: UTF8.self)
  }

  /// Calls `end` at the end of every element, with the text since the last tag.
  private static func walk(_ document: [UInt8], _ end: (_ element: String, _ text: String) -> Void) {
    var position = document.startIndex
    var text: [UInt8] = []
    while position < document.endIndex {
      guard document[position] == UInt8(ascii: "<") else {
        text.append(document[position])
        position += 1
        continue
      }
      guard let close = document[position...].firstIndex(of: UInt8(ascii: ">")) else { return }
      let tag = document[(position + 1)..<close]
      if tag.first == UInt8(ascii: "/") {
        end(String(decoding: tag.dropFirst(), as: UTF8.self), unescaped(text))
      }
      text = []
      position = close + 1
    }
  }

  /// The five entities of XML, and characters by number.
  private static func unescaped(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("&") else { return text }
    var out = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "&") {
      out += rest[..<start]
      rest = rest[start...]
      guard let end = rest.firstIndex(of: ";"), let character = character(rest[..<end].dropFirst()) else {
        out.append("&")
        rest = rest.dropFirst()
        continue
      }
      out.append(character)
      rest = rest[end...].dropFirst()
    }
    return out + rest
  }

  private static func character(_ entity: Substring) -> Character? {
    switch entity {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard entity.first == "#" else { return nil }
    let isHex = entity.dropFirst().first == "x"
    return UInt32(entity.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
      .map(Character.init)
  }
}
