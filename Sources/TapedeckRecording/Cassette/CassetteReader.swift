package import TapedeckHTTP

/// Reads the files of a cassette, checking everything. One thread uses a reader.
package struct CassetteReader {
  let directory: CassetteDirectory
  let matcher: RequestMatcher
  let loader: BodyLoader

  package init(_ directory: CassetteDirectory, matcher: RequestMatcher = RequestMatcher()) {
    self.directory = directory
    self.matcher = matcher
    loader = BodyLoader(directory: directory)
  }

  package func manifest() throws(CassetteError) -> CassetteManifest? {
    let name = CassetteNames.manifest
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return nil }
    return try CassetteManifest(parsing: bytes, file: directory.path(of: name))
  }

  /// An interaction file; nil when it has gone.
  package func interaction(_ name: String) throws(CassetteError) -> FileInteraction? {
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return nil }
    let file = directory.path(of: name)
    return try interaction(
      try JSONFile.parse(bytes, file: file), name: name, in: file, bytes: bytes.count)
  }

  /// The interaction that a tree describes.
  package func interaction(
    _ tree: JSONValue, name: String, in file: String, bytes: Int = 0
  ) throws(CassetteError) -> FileInteraction {
    let interaction = try InteractionFormat.decode(tree, in: file, loader: loader)
    return FileInteraction(
      name: name, ordinal: CassetteNames.parse(name).ordinal, interaction: interaction,
      key: try matcher.key(for: interaction), bodyNames: InteractionFormat.bodyNames(tree),
      bytes: bytes + interaction.request.body.count + interaction.response.body.heldCount)
  }
}

extension RequestMatcher {
  /// The key of a recorded request, whose body may stand in a file.
  package func key(for interaction: Interaction) throws(CassetteError) -> MatchKey {
    guard let body = interaction.largeRequestBody else { return key(for: interaction.request) }
    var request = interaction.request
    request.body = try body.open().bytes(at: 0, count: body.size)
    return key(for: request)
  }
}
