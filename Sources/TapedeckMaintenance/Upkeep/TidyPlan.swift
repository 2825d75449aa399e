import TapedeckRecording
import TapedeckRedaction

/// Which files of a cassette to remove and how to rename the others, as a pure function of what is there.
///
/// The responses to one key keep their order and are numbered without gaps. Carried out in its order, removals first, the
/// plan leaves a cassette after each step that replays the kept responses in their order.
struct TidyPlan: Equatable {
  struct File {
    var name: String
    var digest: SHA256Digest
    /// How a name made from its request begins.
    var prefix: String
    /// Its place among the responses to its key.
    var rank: Int
  }

  struct Rename: Equatable {
    var old: String
    var new: String
  }

  private(set) var removals: [String] = []
  /// The renames as they are in the end.
  private(set) var renames: [Rename] = []
  private let kept: Set<String>

  /// - Parameters:
  ///   - removing: names of files to remove.
  ///   - followsKeys: whether every file gets the name that follows from its request; otherwise only those files are
  ///     renumbered beside which one is removed.
  ///   - changed: files whose request has changed: they, and the other responses to it, get names that follow from it.
  init(_ files: [File], removing: Set<String> = [], followsKeys: Bool, changed: Set<String> = []) {
    removals = files.map(\.name).filter(removing.contains)
    let kept = files.filter { !removing.contains($0.name) }
    let groups = Dictionary(grouping: kept, by: \.digest).sorted { $0.key < $1.key }
    var owners = Self.owners(groups)
    var users: [String: Set<SHA256Digest>] = [:]
    for file in kept { users[CassetteNames.parse(file.name).stem, default: []].insert(file.digest) }
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

  /// The keys of the stems that are made from their keys.
  private static func owners(_ groups: [(key: SHA256Digest, value: [File])]) -> [String: SHA256Digest] {
    var owners: [String: SHA256Digest] = [:]
    for (digest, files) in groups {
      for file in files {
        let stem = CassetteNames.parse(file.name).stem
        if CassetteNames.stems(of: digest, prefix: file.prefix).contains(stem), owners[stem] == nil {
          owners[stem] = digest
        }
      }
    }
    return owners
  }

  private static func stem(
    of digest: SHA256Digest, _ prefix: String, _ owners: inout [String: SHA256Digest]
  ) -> String {
    let stem = CassetteNames.stem(of: digest, prefix: prefix, owners: owners)
    owners[stem] = digest
    return stem
  }

  /// The renames one by one, in an order in which no file is in the way. Where files are in each other's way in a ring,
  /// one of them steps aside first, under a name that keeps its number. A rename onto a file that stays is not done.
  var steps: [Rename] {
    var steps: [Rename] = []
    var taken = kept
    var waiting = Dictionary(renames.map { ($0.old, $0) }) { first, _ in first }
    func take(_ rename: Rename) {
      steps.append(rename)
      taken.remove(rename.old)
      taken.insert(rename.new)
    }
    for rename in renames {
      // From this file over those that are in the way, to one whose new name is not that of a waiting file.
      var chain: [Rename] = []
      var next = waiting.removeValue(forKey: rename.old)
      while let step = next {
        chain.append(step)
        next = waiting.removeValue(forKey: step.new)
      }
      guard let last = chain.last else { continue }
      if taken.contains(last.new) {
        let aside = Self.asideName(rename.old)
        guard last.new == rename.old, !taken.contains(aside) else { continue }
        take(Rename(old: rename.old, new: aside))
        chain[0].old = aside
      }
      for step in chain.reversed() { take(step) }
    }
    return steps
  }

  private static func asideName(_ name: String) -> String {
    let (stem, ordinal) = CassetteNames.parse(name)
    return CassetteNames.name(stem: "\(stem)-aside", ordinal: ordinal)
  }
}
