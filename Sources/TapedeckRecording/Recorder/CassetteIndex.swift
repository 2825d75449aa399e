package import TapedeckHTTP
import TapedeckRedaction

/// The files of a cassette, each with its key and the bodies it needs.
struct CassetteIndex {
  /// A file whose interaction holds a secret that was learned later, and its new name and content.
  typealias Change = (old: String, new: String, tree: JSONValue)

  private(set) var files: [SealPlan.Existing] = []
  private(set) var highestOrdinals: [MatchKey: Int] = [:]
  var bodies: [String: [String]] = [:]
  /// The origins of the files that name one.
  var origins: [String: HTTPOrigin] = [:]
  private(set) var changes: [Change] = []
  /// The keys that files have only after their change.
  private(set) var movedKeys: Set<MatchKey> = []

  /// - Parameter late: hides secrets that were learned later; the index is that of the changed files.
  init(_ reader: CassetteReader, hiding late: LateRedaction? = nil) throws(CassetteError) {
    var moved: [(name: String, key: MatchKey, prefix: String, tree: JSONValue)] = []
    for name in try reader.directory.interactionNames(inFolders: reader.matcher.comparesOrigin) {
      guard let stored = try reader.interaction(name) else { continue }
      origins[name] = stored.interaction.origin
      if let late, let interaction = try Self.hidden(stored, late, reader.directory) {
        let tree = try Self.tree(of: interaction, replacing: name, in: reader.directory)
        let key = try reader.matcher.key(for: interaction)
        guard key == stored.key else {
          moved.append((name, key, CassetteNames.prefix(of: interaction.request), tree))
          continue
        }
        changes.append((name, name, tree))
        bodies[name] = InteractionFormat.bodyNames(tree)
      } else {
        bodies[name] = stored.bodyNames
      }
      files.append((name, stored.key.digest))
      highestOrdinals[stored.key] = max(highestOrdinals[stored.key] ?? 0, stored.ordinal)
    }
    for file in moved { add(file.name, key: file.key, prefix: file.prefix, tree: file.tree) }
  }

  /// Adds a file under the name of its new key, after the files that have the key already.
  private mutating func add(_ old: String, key: MatchKey, prefix: String, tree: JSONValue) {
    let ordinal = (highestOrdinals[key] ?? 0) + 1
    let own = files.first { $0.digest == key.digest }.map { CassetteNames.parse($0.name).stem }
    let owners = Dictionary(files.map { (CassetteNames.parse($0.name).stem, $0.digest) }) { first, _ in first
    }
    let stem = own ?? CassetteNames.stem(of: key.digest, prefix: prefix, owners: owners)
    let name = CassetteNames.name(stem: stem, ordinal: ordinal)
    highestOrdinals[key] = ordinal
    movedKeys.insert(key)
    files.append((name, key.digest))
    bodies[name] = InteractionFormat.bodyNames(tree)
    origins[name] = origins.removeValue(forKey: old)
    changes.append((old, name, tree))
  }

  private static func hidden(
    _ stored: StoredInteraction, _ late: LateRedaction, _ directory: CassetteDirectory
  ) throws(CassetteError) -> Interaction? {
    let old = try stored.read()
    let new = try late.hidden(old) { copy throws(CassetteError) in
      try BodyFile.store(copy, in: directory)
    }.interaction
    return new == old ? nil : new
  }

  private static func tree(
    of interaction: Interaction, replacing name: String, in directory: CassetteDirectory
  ) throws(CassetteError) -> JSONValue {
    let tree = try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      try BodyFile.store(body, in: directory)
    }
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes),
      let old = try? JSONValue(parsing: bytes)
    else { return tree }
    return tree.keepingFreeMembers(of: old)
  }
}

extension JSONValue {
  /// Adds the custom members of another tree, whose names begin with `_` or `x-`.
  package func keepingFreeMembers(of other: JSONValue) -> JSONValue {
    guard case .object(let members) = self, case .object(let others) = other else { return self }
    let kept = members.map { member in
      let old = others.first { $0.name == member.name }?.value
      let isMessage = member.name.isEqual(to: "request") || member.name.isEqual(to: "response")
      return isMessage
        ? JSONMember(member.name, old.map(member.value.keepingFreeMembers) ?? member.value) : member
    }
    return .object(kept + others.filter { StrictObject.isOwn($0.name) })
  }
}
