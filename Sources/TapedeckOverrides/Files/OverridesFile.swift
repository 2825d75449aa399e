internal import TapedeckHTTP

/// An overrides file, by its path.
package struct OverridesFile: Sendable {
  package let path: String
  let files: RuleFiles

  /// - Parameter recordedBody: gives seeds out of cassettes.
  package init(_ path: String, recordedBody: @escaping RuleFiles.RecordedBody) {
    self.path = path
    files = RuleFiles(folder: Self.folder(of: path), recordedBody: recordedBody)
  }

  /// What its bytes declare.
  /// - Throws: what is wrong first, and where.
  package func document(_ bytes: [UInt8]) throws(OverridesFileError) -> OverridesDocument {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw OverridesCheck.Problem(error).error(in: path)
    }
    let document = OverridesDocument(json, files: files)
    guard let first = document.problems.first else { return document }
    throw OverridesCheck.Problem(first, in: bytes).error(in: path, others: document.problems.count - 1)
  }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }
}

/// Why an overrides file is not used. Each text says what is wrong, and where.
public enum OverridesFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// - Parameter place: file, line and column.
  case invalid(place: String, problem: String)
  case unreadable(file: String, problem: String)

  public var description: String {
    switch self {
    case .invalid(let place, let problem): "\(place): \(problem)"
    case .unreadable(let file, let problem): "cannot read \(file): \(problem)"
    }
  }
}
