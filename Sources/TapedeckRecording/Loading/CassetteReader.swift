package import TapedeckHTTP

/// Reads the files of a cassette, checking everything. One thread uses a reader.
package final class CassetteReader {
  let directory: CassetteDirectory
  let matcher: RequestMatcher
  private let loader: BodyLoader
  private lazy var buffer = OpenFile.Buffer()
  private lazy var lastFields = LastFields()

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

  /// An interaction file, held; nil when it has gone.
  package func interaction(_ name: String) throws(CassetteError) -> StoredInteraction? {
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return nil }
    let file = directory.path(of: name)
    return try interaction(try JSONFile.parse(bytes, file: file), name: name, in: file, bytes: bytes.count)
  }

  /// The interaction that a tree describes, held.
  /// - Parameter file: for messages.
  package func interaction(
    _ tree: JSONValue, name: String, in file: String, bytes: Int = 0
  ) throws(CassetteError) -> StoredInteraction {
    let interaction = try InteractionFormat.decode(tree, in: file, loader: loader)
    return StoredInteraction(
      name, interaction, key: try matcher.key(for: interaction),
      bodyNames: InteractionFormat.bodyNames(tree),
      bytes: bytes + interaction.request.body.count + interaction.response.body.heldCount)
  }

  /// An interaction file, checked and left where it is until someone asks for it; nil when it has gone.
  func outlined(_ name: String) throws(CassetteError) -> StoredInteraction? {
    guard let bytes = try buffer.read(name, in: directory, limit: CassetteLimits.fileBytes) else {
      return nil
    }
    let fingerprint = ContentFingerprint(bytes)
    // The fast path; without this `if`, loading is slower and its result the same.
    if let outline = QuickInteractionReader.outline(of: bytes, loader: loader, lastFields: lastFields) {
      let request = outline.recorded.request
      return StoredInteraction(
        name, outline, key: matcher.key(for: request), bytes: bytes.count + request.body.count,
        fingerprint: fingerprint, in: directory)
    }
    let file = directory.path(of: name)
    let whole = try interaction(
      try JSONFile.parse(Array(bytes), file: file), name: name, in: file, bytes: bytes.count)
    return StoredInteraction(
      name, InteractionOutline(try whole.read()), key: whole.key, bytes: whole.bytes,
      fingerprint: fingerprint, in: directory)
  }
}

extension RequestMatcher {
  /// The key of a recorded request, whose body may be in a file.
  package func key(for interaction: Interaction) throws(CassetteError) -> MatchKey {
    guard let body = interaction.largeRequestBody else { return key(for: interaction.request) }
    var request = interaction.request
    request.body = try body.open().bytes(at: 0, count: body.size)
    return key(for: request)
  }
}

extension Interaction {
  /// Reads one file of a cassette by itself: as git hands it to a program that makes text of it, without the rest of the
  /// cassette. A body in a file is known by its name and size only.
  /// - Throws: `CassetteError.absent` when there is no such file; anything else when it is no interaction.
  public init(contentsOf path: String) throws(CassetteError) {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let directory = try CassetteDirectory(opening: slash == nil ? "." : ForeignFile.parent(of: path))
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else {
      throw .absent(directory: path)
    }
    self = try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: path), in: path,
      loader: BodyLoader(directory: directory, readsFiles: false))
  }
}
