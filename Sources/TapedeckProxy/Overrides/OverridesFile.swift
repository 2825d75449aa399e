public import TapedeckHTTP

/// The file that `--overrides` names.
public enum OverridesFile {
  /// Puts the rules of a file's bytes in the place of those it had before. Throws what is wrong with it and where, and
  /// then changes nothing.
  public static func load(
    _ bytes: [UInt8], named file: String, into overrides: Overrides
  ) throws(ProxyError) {
    overrides.take(try document(bytes, named: file))
  }

  /// What a file's bytes declare. Throws what is wrong with it and where.
  static func document(_ bytes: [UInt8], named file: String) throws(ProxyError) -> OverridesDocument {
    let document = OverridesDocument(try parsed(bytes, file), folder: folder(of: file))
    guard let first = document.problems.first else { return document }
    let others = document.problems.count - 1
    let rest = others == 0 ? "" : " (and \(others) more: tapedeck lint \(file) tells all)"
    throw .badOverrides(place: "\(file):\(position(of: first, in: bytes))", problem: "\(first)\(rest)")
  }

  /// Reads the file of a configuration, if it names one, and says what is in it.
  static func open(_ configuration: ProxyConfiguration) throws(ProxyError) -> OverridesSnapshot? {
    guard let file = configuration.overridesFile else { return nil }
    let snapshot = try OverridesSnapshot(file, mayBePipe: true)
    try load(snapshot.bytes, named: file, into: configuration.overrides)
    configuration.notice("overrides: \(configuration.overrides.fileSummary) from \(file)")
    return snapshot
  }

  /// Everything that is wrong with a file, each with its line and column: `3:12: routes[1].status: must be …`; of each
  /// rule the first thing.
  public static func problems(in bytes: [UInt8], named file: String) -> [String] {
    do throws(ProxyError) {
      let document = OverridesDocument(try parsed(bytes, file), folder: folder(of: file))
      return document.problems.map { "\(position(of: $0, in: bytes)): \($0)" }
    } catch {
      guard case .badOverrides(let place, let problem) = error else { return ["\(error)"] }
      return ["\(place.dropFirst(file.count + 1)): \(problem)"]
    }
  }

  /// Whether JSON has what only an overrides file has.
  public static func isOne(_ json: JSONValue) -> Bool {
    OverrideKind.allCases.contains { json[$0.rawValue]?.array != nil }
  }

  private static func parsed(_ bytes: [UInt8], _ file: String) throws(ProxyError) -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      let advice = error.reason == .unexpectedByte(UInt8(ascii: "/")) ? "; JSON has no comments" : ""
      throw .badOverrides(
        place: "\(file):\(error.line):\(error.column)", problem: "not JSON: \(error.reason)\(advice)")
    }
  }

  private static func position(of problem: OverrideProblem, in bytes: [UInt8]) -> String {
    let position = JSONPosition(of: problem.place, in: bytes)
    return "\(position.line):\(position.column)"
  }

  static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
  }
}
