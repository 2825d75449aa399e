import TapedeckHTTP

/// XML and HTML within a text.
extension TextScan {
  private static let maximumTagBytes = 2048

  /// `<Password>…</Password>`, and the `value` of an element whose `name` is the name of a secret.
  mutating func readTag() {
    let start = index + 1
    index = start
    guard let first = byte(at: start), ASCII.isLetter(first) else { return }
    let name = text[start...].prefix(Self.maximumNameBytes).prefix {
      ASCII.isWord($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    if byte(at: name.endIndex) == UInt8(ascii: ">") { return readContent(of: name) }
    let tag = text[name.endIndex...].prefix(Self.maximumTagBytes).prefix {
      $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<")
    }
    readAttributes(tag)
  }

  private mutating func readContent(of name: ArraySlice<UInt8>) {
    index = name.endIndex + 1
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    guard mayJudge(local) else { return }
    var content = text[index...].prefix(Self.maximumValueBytes)
    let cdata = Array("<![CDATA[".utf8)
    if content.starts(with: cdata) {
      content = content.dropFirst(cdata.count).prefix { $0 != UInt8(ascii: "]") }
    } else {
      content = content.prefix { $0 != UInt8(ascii: "<") }
    }
    while let first = content.first, ASCII.isSpace(first) { content = content.dropFirst() }
    while let last = content.last, ASCII.isSpace(last) { content = content.dropLast() }
    let verdict = search.policy.verdict(on: local, in: .member)
    let found = search.finds(in: content, named: local, verdict: verdict, depth: Self.maximumDepth)
    finds.add(found)
    if verdict == .keep || !found.isEmpty { index = content.endIndex }
  }

  private mutating func readAttributes(_ tag: ArraySlice<UInt8>) {
    guard let name = Self.attribute(["name", "id", "key"], in: tag), !name.isEmpty,
      let value = Self.attribute(["value", "content"], in: tag), mayJudge(text[name])
    else { return }
    finds.add(search.finds(in: text[value], named: text[name], in: .member, depth: Self.maximumDepth))
  }

  /// The value of the first of these attributes.
  private static func attribute(_ names: [String], in tag: ArraySlice<UInt8>) -> Range<Int>? {
    for name in names {
      for range in ByteSearch.all(Array("\(name)=".utf8), in: tag)
      where range.lowerBound > tag.startIndex && ASCII.isSpace(tag[range.lowerBound - 1]) {
        return value(in: tag, from: range.upperBound)
      }
    }
    return nil
  }
}
