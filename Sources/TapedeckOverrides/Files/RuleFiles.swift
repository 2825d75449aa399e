internal import TapedeckHTTP
internal import TapedeckSockets

/// What the rules of an overrides file may read: files beneath its folder, and recorded bodies.
package struct RuleFiles: Sendable {
  /// Reads the body of a recorded response; `nil` where the cassette has no such interaction.
  package typealias RecordedBody =
    @Sendable (_ cassette: String, _ interaction: String) throws -> [UInt8]?

  /// Of the overrides file.
  let folder: String
  private let recordedBody: RecordedBody

  package init(folder: String, recordedBody: @escaping RecordedBody) {
    self.folder = folder
    self.recordedBody = recordedBody
  }

  /// Of a rule that names a file where none may.
  static func absent(_ place: String) -> OverrideProblem {
    OverrideProblem(place, "only an overrides file may name files; give the content itself")
  }

  /// The bytes of a plain file beneath the folder.
  /// - Parameter place: of the member that names it.
  func read(_ name: String, at place: String) throws(OverrideProblem) -> [UInt8] {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw OverrideProblem(place, "must name a file") }
    let path = path(of: name)
    do throws(FileContents.Problem) {
      guard let root = FileContents.resolved(folder) else { throw .system }
      guard let real = FileContents.resolved(path) else { throw .system }
      guard real.hasPrefix(root == "/" ? root : root + "/"), !name.hasPrefix("/") else {
        throw FileContents.Problem("it must stand beneath the folder of the overrides file")
      }
      return try FileContents.read(path, mayBePipe: false)
    } catch {
      throw OverrideProblem(place, "cannot read \(path): \(error.text)")
    }
  }

  /// The recorded body of an interaction in a cassette beneath the folder.
  /// - Parameter place: of the member that names the cassette.
  func recordedBody(
    _ cassette: String, _ interaction: String, at place: String
  ) throws(OverrideProblem) -> [UInt8]? {
    guard let root = FileContents.resolved(folder), let path = FileContents.resolved(path(of: cassette)),
      path.hasPrefix(root + "/"), !cassette.hasPrefix("/")
    else { throw OverrideProblem(place, "must be a cassette beneath the folder of the overrides file") }
    do { return try recordedBody(path, interaction) } catch { throw OverrideProblem(place, "\(error)") }
  }

  private func path(of name: String) -> String {
    if name.hasPrefix("/") { return name }
    return folder.isEmpty || folder == "."
      ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The paths of all files that some member `file` of a document names, whatever kind of rule it is in.
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
