/// Which files of a cassette are to go and what the others are to be called, as a pure function of what is there.
///
/// The answers to one key keep their order and are numbered without gaps. Carried out in its order, removals first, the
/// plan leaves a cassette after each step that gives the kept answers in their right order.
struct TidyPlan: Equatable {
  struct File {
    var name: String
    var digest: SHA256Digest
    /// What a name made from its request begins with.
    var prefix: String
    /// Its place among the answers to its key.
    var rank: Int
  }

  struct Rename: Equatable {
    var old: String
    var new: String
  }

  private(set) var removals: [String] = []
  /// Which files are to be called otherwise in the end.
  private(set) var renames: [Rename] = []
  private let kept: Set<String>

  /// - Parameters:
  ///   - removing: names of files that are to go.
  ///   - followsKeys: whether every file gets the name that follows from its request, and not only those beside which
  ///     one was removed a number without a gap.
  ///   - changed: files whose request is another now: they, and the other answers to it, get names that follow from it.
  init(_ files: [File], removing: Set<String> = [], followsKeys: Bool, changed: Set<String> = []) {
    removals = files.map(\.name).filter(removing.contains)
    let kept = files.filter { !removing.contains($0.name) }
    let groups = Dictionary(grouping: kept, by: \.digest).sorted { $0.key < $1.key }
    var owners = Self.owners(groups)
    let users = Dictionary(grouping: Set(kept.map { StemUse($0) }), by: \.stem)
    let touched = Set(files.filter { removing.contains($0.name) }.map(\.digest))
    for (digest, files) in groups {
      let followsKeys = followsKeys || files.contains { changed.contains($0.name) }
      guard followsKeys || touched.contains(digest) else { continue }
      let ordered = files.sorted { $0.rank < $1.rank }
      let present = CassetteNames.parse(ordered[0].name).stem
      let staysPut = !followsKeys && users[present]?.count == 1
      let stem = staysPut ? present : Self.stem(of: digest, ordered[0].prefix, &owners)
      for (place, file) in ordered.enumerated() {
        let name = CassetteNames.name(stem: stem, ordinal: place + 1)
        if name != file.name { renames.append(Rename(old: file.name, new: name)) }
      }
    }
    self.kept = Set(kept.map(\.name))
  }

  /// Which key each stem belongs to that is made from its key.
  private static func owners(_ groups: [(key: SHA256Digest, value: [File])]) -> [String: SHA256Digest] {
    var owners: [String: SHA256Digest] = [:]
    for (digest, files) in groups {
      for file in files {
        let stem = CassetteNames.parse(file.name).stem
        if stems(digest, file.prefix).contains(stem), owners[stem] == nil { owners[stem] = digest }
      }
    }
    return owners
  }

  /// The names a key may have, the shortest first.
  static func stems(_ digest: SHA256Digest, _ prefix: String) -> [String] {
    let hex = digest.hex
    return CassetteNames.digestDigits.map { "\(prefix)-\(hex.prefix($0))" }
  }

  private static func stem(
    of digest: SHA256Digest, _ prefix: String, _ owners: inout [String: SHA256Digest]
  ) -> String {
    let stems = stems(digest, prefix)
    let stem =
      stems.first { owners[$0] == digest } ?? stems.first { owners[$0] == nil } ?? "\(prefix)-\(digest.hex)"
    owners[stem] = digest
    return stem
  }

  /// The renames one by one, in an order in which no file is in the way; where some are in each other's way, one of
  /// them steps aside first, under a name that keeps its number. What is in the way of a file that stays is not done.
  var steps: [Rename] {
    var (taken, waiting, steps) = (kept, renames, [Rename]())
    while !waiting.isEmpty {
      if let index = waiting.firstIndex(where: { !taken.contains($0.new) }) {
        steps.append(waiting.remove(at: index))
      } else {
        let wanted = Set(waiting.map(\.new))
        guard let index = waiting.firstIndex(where: { wanted.contains($0.old) }) else { break }
        let aside = Rename(old: waiting[index].old, new: Self.asideName(waiting[index].old))
        guard !taken.contains(aside.new) else { break }
        waiting[index].old = aside.new
        steps.append(aside)
      }
      if let step = steps.last {
        taken.remove(step.old)
        taken.insert(step.new)
      }
    }
    return steps
  }

  private static func asideName(_ name: String) -> String {
    let (stem, ordinal) = CassetteNames.parse(name)
    return CassetteNames.name(stem: "\(stem)-aside", ordinal: ordinal)
  }
}

/// That files of a key have a stem.
private struct StemUse: Hashable {
  let stem: String
  let digest: SHA256Digest

  init(_ file: TidyPlan.File) {
    stem = CassetteNames.parse(file.name).stem
    digest = file.digest
  }
}
