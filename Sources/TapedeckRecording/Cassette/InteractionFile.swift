public import TapedeckHTTP

/// One file of a cassette, read by itself: as git hands it to a program that makes text of it, without the rest of the
/// cassette. A body that stands in a file is known by its name and size only.
public struct InteractionFile: Sendable {
  public let interaction: Interaction

  /// - Throws: `CassetteError.absent` when there is no such file; anything else when it is no interaction.
  public init(_ path: String) throws(CassetteError) {
    let (folder, name) = Self.split(path)
    let directory = try CassetteDirectory(opening: folder)
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else {
      throw .absent(directory: path)
    }
    interaction = try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: path), in: path,
      loader: BodyLoader(directory: directory, readsFiles: false))
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (
      slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...])
    )
  }
}

extension StoredInteraction {
  /// The interaction as its file has it, for programs; a body that would stand beside the file is named, not held.
  public func tree() throws(CassetteError) -> JSONValue {
    try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      try BodyFile(unwritten: body)
    }
  }
}
