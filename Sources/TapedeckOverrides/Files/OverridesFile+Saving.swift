package import TapedeckHTTP
internal import TapedeckSockets

/// Why the rules in force are not saved.
package enum OverridesSavingError: Error, CustomStringConvertible {
  case noPlainFile(String)
  case changed(String)
  case unwritable(file: String, problem: String)

  package var description: String {
    switch self {
    case .noPlainFile(let file): "\(file) is no plain file, so nothing can be saved in it"
    case .changed(let file): "\(file) was changed meanwhile, and is not what is in force; look at it first"
    case .unwritable(let file, let problem): "cannot write \(file): \(problem)"
    }
  }
}

extension OverridesFile {
  /// Saves the rules in force. Rules of the file that were removed since are gone from it; whatever else it holds stays.
  /// The file is replaced at once, or not at all.
  /// - Parameter known: the file as it was last read; any other content is not overwritten.
  /// - Returns: what the file holds now.
  package func save(
    _ overrides: Overrides, over known: JSONValue
  ) throws -> OverridesDocument {
    guard let real = FileContents.resolved(path), FileContents.isPlain(real) else {
      throw OverridesSavingError.noPlainFile(path)
    }
    do throws(FileContents.Problem) {
      let bytes = try FileContents.read(real, mayBePipe: false)
      guard (try? JSONValue(parsing: bytes)) == known else { throw FileContents.Problem("") }
    } catch {
      throw OverridesSavingError.changed(path)
    }
    let bytes = known.replacingRules { Self.declarations($0, overrides) }.bytes(.pretty) + [0x0A]
    let document = try document(bytes)
    do throws(FileContents.Problem) { try FileContents.replace(real, with: bytes) } catch {
      throw OverridesSavingError.unwritable(file: path, problem: error.text)
    }
    return document
  }

  /// The declarations in force, each with its id unless that is what its place in the file makes it.
  private static func declarations(_ kind: OverrideKind, _ overrides: Overrides) -> [JSONValue] {
    overrides.rules(kind).enumerated().map { index, rule in
      let isByPlace = rule.isFromFile && rule.id == "\(kind.word)-\(index + 1)"
      guard rule.declaration["id"] == nil, !isByPlace else { return rule.declaration }
      return .object([JSONMember("id", JSONValue(rule.id))] + (rule.declaration.members ?? []))
    }
  }
}

extension JSONValue {
  /// The document with other rules, its members in their places.
  fileprivate func replacingRules(_ rules: (OverrideKind) -> [JSONValue]) -> JSONValue {
    var members = members ?? []
    for kind in OverrideKind.allCases {
      let list = rules(kind)
      if let index = members.lastIndex(where: { $0.name.text == kind.rawValue }) {
        members[index].value = .array(list)
      } else if !list.isEmpty {
        members.append(JSONMember(JSONString(kind.rawValue), .array(list)))
      }
    }
    return .object(members)
  }
}
