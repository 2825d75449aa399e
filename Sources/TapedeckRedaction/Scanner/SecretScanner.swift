package import TapedeckHTTP

/// Reports secrets in what is about to be stored, and in the files of others. It searches as redaction does, and further
/// (`SearchThresholds.scanner`): what redaction hides it reports, and what redaction is not sure of too.
package struct SecretScanner: Sendable {
  private static let maximumJSONBytes = 64 << 20
  private let policy: RedactionPolicy

  /// - Parameter keep: names and kinds of secrets that the user keeps.
  package init(keep: [String] = []) { self.init(RedactionRules(key: RedactionKey(""), keep: keep)) }

  /// A scanner whose finds have the placeholders of a redaction, but that knows nothing of what it hides besides the
  /// default list.
  package init(_ rules: RedactionRules) {
    policy = RedactionPolicy(RedactionRules(key: rules.key, keep: rules.keep), .scanner)
  }

  private var search: SecretSearch { SecretSearch(policy) }

  private func reports(_ finds: Finds, at place: String) -> [SecretFind] {
    finds.ordered.compactMap { $0.evidence.map { SecretFind($0, at: place) } }
  }

  // MARK: Parts of messages

  package func finds(inTarget target: [UInt8], at place: String) -> [SecretFind] {
    reports(search.finds(inTarget: target), at: place)
  }

  package func finds(in fields: HTTPFields, at place: String) -> [SecretFind] {
    fields.flatMap { field in
      let finds = search.finds(in: field.value, named: field.name, in: .header)
      return reports(finds, at: place + SecretSearch.label(field.name))
    }
  }

  /// The secrets in a body, which is decoded first if it has a coding that can be opened.
  package func finds(inBody body: [UInt8], _ fields: HTTPFields, at place: String) -> [SecretFind] {
    guard !body.isEmpty, let text = BodyCoding(fields).decoded(body[...]) else { return [] }
    return reports(search.finds(inBody: text[...], type: MediaType(fields)), at: place)
  }

  /// The secrets in a text that begin before `end`.
  package func finds(inText text: [UInt8], before end: Int = .max, at place: String) -> [SecretFind] {
    let finds = search.text(text[...], depth: 0).ordered.filter { $0.range.lowerBound < end }
    return finds.compactMap { $0.evidence.map { SecretFind($0, at: place) } }
  }

  // MARK: Files

  /// The secrets in a file of any kind: JSON by its members, gzip by its content, everything else as text.
  package func finds(in bytes: [UInt8], file: String) -> [SecretFind] {
    if bytes.starts(with: [0x1F, 0x8B]), let inner = BodyCoding.gzip.decoded(bytes[...]) {
      return finds(in: inner, file: file)
    }
    let start = bytes.firstIndex { !ASCII.isSpace($0) } ?? bytes.endIndex
    if Self.isJSON(bytes[start...]) {
      return reports(search.value(bytes[start...], depth: 0), at: "").map { $0.inFile(file) }
    }
    var (line, offset) = (1, 0)
    return search.text(bytes[...], depth: 0).ordered.compactMap { find in
      line += bytes[offset..<find.range.lowerBound].count { $0 == ASCII.lineFeed }
      offset = find.range.lowerBound
      return find.evidence.map { SecretFind($0).inFile(file, line: line) }
    }
  }

  private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      text.count <= maximumJSONBytes
    else { return false }
    return (try? JSONValue(parsing: Array(text))) != nil
  }
}
