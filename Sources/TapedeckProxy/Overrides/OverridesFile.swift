internal import TapedeckHTTP

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
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch { throw OverridesCheck.Problem(error).error(in: file) }
    let document = OverridesDocument(json, folder: folder(of: file))
    guard let first = document.problems.first else { return document }
    throw OverridesCheck.Problem(first, in: bytes).error(in: file, others: document.problems.count - 1)
  }

  /// Reads the file of a configuration, if it names one, and says what is in it.
  static func open(_ configuration: ProxyConfiguration) throws(ProxyError) -> OverridesSnapshot? {
    guard let file = configuration.overridesFile else { return nil }
    let snapshot = try OverridesSnapshot(file, mayBePipe: true)
    let document = try document(snapshot.bytes, named: file)
    configuration.overrides.take(document)
    configuration.notice("overrides: \(document.summary) from \(file)")
    return snapshot
  }

  static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
  }
}
