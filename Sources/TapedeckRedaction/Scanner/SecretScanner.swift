package import TapedeckHTTP

/// Reports secrets in what is about to be stored and in other tools' files, by the rules of redaction.
package struct SecretScanner: Sendable {
  private static let maximumJSONBytes = 64 << 20
  private let policy: RedactionPolicy

  /// - Parameter keep: names and kinds of secrets that the user keeps.
  package init(keep: [String] = []) { self.init(RedactionRules(key: "", keep: keep)) }

  /// A scanner with the placeholders of a redaction, but only with the default list.
  package init(_ rules: RedactionRules) {
    policy = RedactionPolicy(RedactionRules(key: rules.key, keep: rules.keep), reports: true)
  }

  private var search: SecretSearch { SecretSearch(policy) }

  // MARK: Parts of messages

  package func finds(inTarget target: [UInt8], at place: String) -> [SecretFind] {
    search.finds(inTarget: target).reports(at: place)
  }

  package func finds(in fields: HTTPFields, at place: String) -> [SecretFind] {
    fields.flatMap { field in
      search.finds(in: field.value, named: field.name, in: .header)
        .reports(at: place + SecretSearch.label(field.name))
    }
  }

  /// The secrets in a body, decoded first. A body that cannot be decoded is a find itself.
  package func finds(inBody body: [UInt8], _ fields: HTTPFields, at place: String) -> [SecretFind] {
    let coding = BodyCoding(fields)
    guard !body.isEmpty else { return [] }
    guard let text = coding.decoded(body[...]) ?? (coding.isMisnamed(body[...]) ? body : nil) else {
      return finds(forUnsearched: coding, at: place)
    }
    return search.finds(inBody: text[...], type: MediaType(fields)).reports(at: place)
  }

  /// The find for a body that could not be opened; none when the user accepts such bodies.
  package func finds(forUnsearched coding: BodyCoding, at place: String) -> [SecretFind] {
    guard !policy.keeps(kind: SecretFind.unsearchedBodies) else { return [] }
    var find = SecretFind(unsearchedIn: coding)
    find.put(at: place)
    return [find]
  }

  /// The secrets in a reason phrase. A registered phrase has none.
  package func finds(inReason reason: [UInt8], of status: Int, at place: String) -> [SecretFind] {
    HTTPStatus.isRegistered(reason, of: status) ? [] : finds(inText: reason, at: place)
  }

  package func finds(inText text: [UInt8], before end: Int = .max, at place: String) -> [SecretFind] {
    search.text(text[...], depth: 0).placed(at: place).ordered.filter { $0.range.lowerBound < end }
      .compactMap(\.report)
  }

  // MARK: Files

  /// The secrets in any file: JSON by member, gzip by content, everything else as text.
  package func finds(in bytes: [UInt8], file: String) -> [SecretFind] {
    if bytes.starts(with: [0x1F, 0x8B]), let inner = BodyCoding.gzip.decoded(bytes[...]) {
      return finds(in: inner, file: file)
    }
    let start = bytes.firstIndex { !ASCII.isSpace($0) } ?? bytes.endIndex
    if Self.isJSON(bytes[start...]) {
      return search.value(bytes[start...], depth: 0).reports().map { $0.inFile(file) }
    }
    var (line, offset) = (1, 0)
    return search.text(bytes[...], depth: 0).ordered.compactMap { find in
      line += bytes[offset..<find.range.lowerBound].count { $0 == ASCII.lineFeed }
      offset = find.range.lowerBound
      return find.report?.inFile(file, line: line)
    }
  }

  private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      text.count <= maximumJSONBytes
    else { return false }
    return (try? JSONValue(parsing: Array(text))) != nil
  }
}
