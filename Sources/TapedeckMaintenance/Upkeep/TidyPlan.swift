import TapedeckRecording
import TapedeckRedaction

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
      let stem = staysPut ? present : Self.stem(of: digest, files.map(\.prefix).min() ?? "", &owners)
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
    var order = RenameOrder(taken: kept)
    let byOld = Dictionary(uniqueKeysWithValues: renames.map { ($0.old, $0) })
    let wanted = Dictionary(renames.map { ($0.new, $0) }, uniquingKeysWith: { first, _ in first })
    // A name that is free lets the file go that wants it, whose name is free then.
    for rename in renames where !kept.contains(rename.new) {
      var next: Rename? = rename
      while let rename = next, order.take(rename) { next = wanted[rename.old] }
    }
    // What is left waits for each other in rings, or for a file that stays.
    var stuck: Set<String> = []
    for rename in renames where !order.isDone(rename) && Self.isRing(from: rename, byOld, &stuck) {
      let aside = Rename(old: rename.old, new: Self.asideName(rename.old))
      guard order.take(aside) else { continue }
      var next = wanted[rename.old]
      while let step = next, step.old != rename.old, order.take(step) { next = wanted[step.old] }
      _ = order.take(Rename(old: aside.new, new: rename.new))
    }
    return order.steps
  }

  /// Whether going on to the file that is in the way, and from that to the next, leads back.
  /// - Parameter stuck: files from which it does not, as far as that is known.
  private static func isRing(
    from rename: Rename, _ byOld: [String: Rename], _ stuck: inout Set<String>
  ) -> Bool {
    var passed: Set<String> = []
    var step = rename
    while !stuck.contains(step.old), passed.insert(step.old).inserted, let next = byOld[step.new] {
      if next.old == rename.old { return true }
      step = next
    }
    stuck.formUnion(passed)
    return false
  }

  private static func asideName(_ name: String) -> String {
    let (stem, ordinal) = CassetteNames.parse(name)
    return CassetteNames.name(stem: "\(stem)-aside", ordinal: ordinal)
  }
}

/// Renames as they are done, and the names that are taken then.
private struct RenameOrder {
  private(set) var steps: [TidyPlan.Rename] = []
  private var taken: Set<String>
  private var done: Set<String> = []

  init(taken: Set<String>) { self.taken = taken }

  func isDone(_ rename: TidyPlan.Rename) -> Bool { done.contains(rename.old) }

  /// Does a rename unless it is done, or its new name is taken.
  mutating func take(_ rename: TidyPlan.Rename) -> Bool {
    guard !isDone(rename), !taken.contains(rename.new) else { return false }
    taken.remove(rename.old)
    taken.insert(rename.new)
    done.insert(rename.old)
    steps.append(rename)
    return true
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
