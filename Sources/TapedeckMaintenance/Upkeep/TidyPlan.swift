import TapedeckRecording
import TapedeckRedaction

/// Plans the removal and renaming of files in a cassette, as a pure function of the files.
///
/// The responses to one key keep their order and are numbered without gaps. Removals are carried out first, then renames in
/// order; after each step, the cassette replays the kept responses in their order.
struct TidyPlan {
  struct File {
    var name: String
    var digest: SHA256Digest
    /// The beginning of a name that follows from its request.
    var prefix: String
    /// Its number among the responses to its key.
    var rank: Int
  }

  typealias Rename = (old: String, new: String)

  private(set) var removals: [String] = []
  /// The old and the final names.
  private(set) var renames: [Rename] = []
  private let kept: Set<String>

  /// - Parameters:
  ///   - removing: names of files to remove.
  ///   - followsKeys: whether all files get names that follow from their requests; otherwise, only files with the keys of
  ///     removed ones are renumbered.
  ///   - changed: files whose request has changed: they, and the other responses to it, get names that follow from it.
  init(_ files: [File], removing: Set<String> = [], followsKeys: Bool, changed: Set<String> = []) {
    removals = files.map(\.name).filter(removing.contains)
    let kept = files.filter { !removing.contains($0.name) }
    let groups = Dictionary(grouping: kept, by: \.digest).sorted { $0.key < $1.key }
    /// The keys of the stems that are made from their keys.
    var owners: [String: SHA256Digest] = [:]
    var users: [String: Set<SHA256Digest>] = [:]
    for file in groups.flatMap(\.value) {
      let stem = CassetteNames.parse(file.name).stem
      users[stem, default: []].insert(file.digest)
      let isOwn = CassetteNames.stems(of: file.digest, prefix: file.prefix).contains(stem)
      if isOwn, owners[stem] == nil { owners[stem] = file.digest }
    }
    let touched = Set(files.lazy.filter { removing.contains($0.name) }.map(\.digest))
    for (digest, files) in groups {
      let followsKeys = followsKeys || files.contains { changed.contains($0.name) }
      guard followsKeys || touched.contains(digest) else { continue }
      let ordered = files.sorted { $0.rank < $1.rank }
      let present = CassetteNames.parse(ordered[0].name).stem
      var stem = present
      if followsKeys || users[present]?.count != 1 {
        stem = CassetteNames.stem(of: digest, prefix: files.map(\.prefix).min() ?? "", owners: owners)
        owners[stem] = digest
      }
      for (place, file) in ordered.enumerated() {
        let name = CassetteNames.name(stem: stem, ordinal: place + 1)
        if name != file.name { renames.append((file.name, name)) }
      }
    }
    self.kept = Set(kept.map(\.name))
  }

  /// The renames in an order in which no file overwrites another. In a cycle, one file first gets a temporary name that
  /// keeps its number. Renames onto a file that stays are left out.
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
      // The chain of this file and those it waits for, up to one whose new name is free.
      var chain: [Rename] = []
      var next = waiting.removeValue(forKey: rename.old)
      while let step = next {
        chain.append(step)
        next = waiting.removeValue(forKey: step.new)
      }
      guard let last = chain.last else { continue }
      if taken.contains(last.new) {
        let (stem, ordinal) = CassetteNames.parse(rename.old)
        let aside = CassetteNames.name(stem: "\(stem)-aside", ordinal: ordinal)
        guard last.new == rename.old, !taken.contains(aside) else { continue }
        take((rename.old, aside))
        chain[0].old = aside
      }
      for step in chain.reversed() { take(step) }
    }
    return steps
  }
}
