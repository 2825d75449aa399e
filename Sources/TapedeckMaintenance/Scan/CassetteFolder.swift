import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// What a folder and the files in it are, before any of them is trusted to be in order.
enum CassetteFolder {
  static func isCassette(_ directory: CassetteDirectory, _ names: [String]) -> Bool {
    if names.contains(CassetteNames.manifest) || names.contains(CassetteNames.journal) { return true }
    let first = names.first(where: CassetteNames.isInteraction)
    let bytes = first.flatMap { try? directory.contents(of: $0, limit: CassetteLimits.fileBytes) }
    return bytes.map { isInteraction($0) } ?? false
  }

  private static func isInteraction(_ bytes: [UInt8]) -> Bool {
    guard let tree = try? JSONValue(parsing: bytes) else { return false }
    return tree["request"]?["target"] != nil && tree["response"]?["status"] != nil
  }

  /// The cassette that a file in a folder, or in its `bodies`, belongs to.
  static func owner(ofFileIn folder: String) -> String? {
    for candidate in [folder, ForeignFile.parent(of: folder)] {
      if candidate != folder, !folder.hasSuffix(BodyFile.folder) { continue }
      guard let directory = try? CassetteDirectory(opening: candidate), let names = try? directory.names()
      else {
        continue
      }
      if isCassette(directory, names) { return candidate }
    }
    return nil
  }

  /// What a cassette does not hide.
  static func keep(_ path: String) -> [String] {
    let manifest = try? CassetteDirectory(opening: path)
    return manifest.flatMap { try? CassetteReader($0).manifest() }?.redaction?.rules?.keep ?? []
  }

  /// The interaction that a file holds; nil when it is anything else.
  static func interaction(_ bytes: [UInt8], in folder: String) -> Interaction? {
    guard isInteraction(bytes), let tree = try? JSONValue(parsing: bytes),
      let directory = try? CassetteDirectory(opening: folder)
    else { return nil }
    return try? InteractionFormat.decode(
      tree, in: folder, loader: BodyLoader(directory: directory))
  }
}
