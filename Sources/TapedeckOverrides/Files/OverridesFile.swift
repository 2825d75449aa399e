internal import TapedeckHTTP
internal import TapedeckSockets

/// The path of an overrides file, and access to what its rules may read: files in its folder and recorded bodies.
package struct OverridesFile: Sendable {
  package let path: String
  private let recordedBody: @Sendable (_ cassette: String, _ interaction: String) throws -> [UInt8]?

  /// - Parameter recordedBody: reads the body of a recorded response, for seeds; returns `nil` if the cassette does not
  ///   have the interaction.
  package init(
    _ path: String,
    recordedBody: @escaping @Sendable (_ cassette: String, _ interaction: String) throws -> [UInt8]?
  ) {
    self.path = path
    self.recordedBody = recordedBody
  }

  /// Reads the rules of a file with these bytes.
  /// - Throws: the first problem, with its place.
  package func document(_ bytes: [UInt8]) throws(OverridesFileError) -> OverridesDocument {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw OverridesCheck.Problem(error).error(in: path)
    }
    let document = OverridesDocument(json, file: self)
    guard let first = document.problems.first else { return document }
    throw OverridesCheck.Problem(first, in: bytes).error(in: path, others: document.problems.count - 1)
  }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  // MARK: Files that rules name

  /// The problem of a rule that may not name files but does.
  static func absent(_ place: String) -> OverrideProblem {
    OverrideProblem(place, "only an overrides file may name files; give the content itself")
  }

  /// The bytes of a regular file in the folder or below it.
  /// - Parameter place: the place of the member that names it.
  func read(_ name: String, at place: String) throws(OverrideProblem) -> [UInt8] {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw OverrideProblem(place, "must name a file") }
    let path = path(of: name)
    do throws(FileContents.Problem) {
      guard let root = FileContents.resolved(Self.folder(of: self.path)) else { throw .system }
      guard let real = FileContents.resolved(path) else { throw .system }
      guard real.hasPrefix(root == "/" ? root : root + "/"), !name.hasPrefix("/") else {
        throw FileContents.Problem("it must stand beneath the folder of the overrides file")
      }
      return try FileContents.read(path, mayBePipe: false)
    } catch {
      throw OverrideProblem(place, "cannot read \(path): \(error.text)")
    }
  }

  /// The recorded body of an interaction in a cassette below the folder.
  /// - Parameter place: the place of the member that names the cassette.
  func recordedBody(
    _ cassette: String, _ interaction: String, at place: String
  ) throws(OverrideProblem) -> [UInt8]? {
    guard let root = FileContents.resolved(Self.folder(of: self.path)),
      let path = FileContents.resolved(path(of: cassette)), path.hasPrefix(root + "/"),
      !cassette.hasPrefix("/")
    else { throw OverrideProblem(place, "must be a cassette beneath the folder of the overrides file") }
    do { return try recordedBody(path, interaction) } catch { throw OverrideProblem(place, "\(error)") }
  }

  private func path(of name: String) -> String {
    let folder = Self.folder(of: path)
    return name.hasPrefix("/") || folder == "." ? name : folder + name
  }

  /// The paths of all files that members `file` of a document name.
  func paths(in document: JSONValue) -> [String] {
    switch document {
    case .array(let items): items.flatMap { paths(in: $0) }
    case .object(let members):
      members.flatMap { member in
        guard member.name.text == "file", let name = member.value.text else {
          return paths(in: member.value)
        }
        return name.isEmpty || name.hasPrefix("/") || name.contains("..") ? [] : [path(of: name)]
      }
    default: []
    }
  }
}

/// The reason why an overrides file is rejected.
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
