internal import TapedeckHTTP

/// A file that a rule names: a plain one, beneath the folder of the overrides file.
enum RuleFile {
  /// - Parameters:
  ///   - folder: nil where rules may name no files.
  ///   - place: of the member that names it.
  static func read(_ name: String, in folder: String?, at place: String) throws(OverrideProblem) -> [UInt8] {
    guard let folder else {
      throw OverrideProblem(place, "only an overrides file may name files; give the content itself")
    }
    guard !name.isEmpty, !name.utf8.contains(0) else { throw OverrideProblem(place, "must name a file") }
    let path = path(of: name, in: folder)
    do throws(FileBytes.Problem) {
      guard let root = FileBytes.resolved(folder) else { throw .system }
      guard let real = FileBytes.resolved(path) else { throw .system }
      guard real.hasPrefix(root == "/" ? root : root + "/"), !name.hasPrefix("/") else {
        throw FileBytes.Problem("it must stand beneath the folder of the overrides file")
      }
      return try FileBytes.read(path, mayBePipe: false)
    } catch {
      throw OverrideProblem(place, "cannot read \(path): \(error.text)")
    }
  }

  /// Without links and dots; nil where there is nothing.
  static func resolved(_ path: String) -> String? { FileBytes.resolved(path) }

  /// Where a file stands that a rule names.
  static func path(of name: String, in folder: String) -> String {
    if name.hasPrefix("/") { return name }
    return folder.isEmpty || folder == "."
      ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Where all those stand that some member `file` of a document names, of whatever kind the rule is.
  static func paths(in document: JSONValue, folder: String) -> [String] {
    switch document {
    case .array(let items): items.flatMap { paths(in: $0, folder: folder) }
    case .object(let members):
      members.flatMap { member in
        guard member.name.text == "file", let name = member.value.text else {
          return paths(in: member.value, folder: folder)
        }
        return name.isEmpty || name.hasPrefix("/") || name.contains("..") ? [] : [path(of: name, in: folder)]
      }
    default: []
    }
  }
}
