package import TapedeckHTTP

/// Reads and checks the files of a cassette. Not thread-safe.
package final class CassetteReader {
  let directory: CassetteDirectory
  let matcher: RequestMatcher
  private let loader: BodyLoader
  /// Reused for each file, so that many small files need one allocation.
  private var buffer: [UInt8] = []
  private lazy var lastFields = LastFields()
  private var lastHead: HTTPRequest.SharedHead?

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

  /// An interaction file, held in memory; `nil` when it no longer exists.
  package func interaction(_ name: String) throws(CassetteError) -> StoredInteraction? {
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else { return nil }
    let file = directory.path(of: name)
    return try interaction(try JSONFile.parse(bytes, file: file), name: name, in: file, bytes: bytes.count)
  }

  package func interaction(
    _ tree: JSONValue, name: String, in file: String, bytes: Int = 0
  ) throws(CassetteError) -> StoredInteraction {
    let interaction = try InteractionFormat.decode(tree, in: file, loader: loader)
    try check(interaction.request, in: file)
    return StoredInteraction(
      name, interaction, key: try matcher.key(for: interaction),
      bodyNames: InteractionFormat.bodyNames(tree),
      bytes: bytes + interaction.request.body.count + interaction.response.body.heldCount)
  }

  /// Throws unless an interaction names its origin where there are several, and only there.
  private func check(
    _ request: HTTPRequest, in file: @autoclosure () -> String
  ) throws(CassetteError) {
    guard request.namesOrigin != matcher.comparesOrigin else { return }
    throw .invalidEntry(
      file: file(), member: "origin",
      problem: request.namesOrigin
        ? "the cassette is of one origin, as \(CassetteNames.manifest) has no `origins`"
        : "it is missing, and the cassette is of several origins")
  }

  /// A checked interaction file whose content is read again when needed; `nil` when it no longer exists.
  func outlined(_ name: String) throws(CassetteError) -> StoredInteraction? {
    guard let file = try directory.openAny(name) else { return nil }
    let size = try file.size(limit: CassetteLimits.fileBytes)
    if size >= buffer.count { buffer = [UInt8](repeating: 0, count: max(size + 1, 64 << 10)) }
    return try buffer.withUnsafeMutableBufferPointer { buffer throws(CassetteError) in
      let memory = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<size]))
      let count = try file.fill(memory, at: 0)
      return try outlined(name, UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
  }

  private func outlined(
    _ name: String, _ bytes: UnsafeRawBufferPointer
  ) throws(CassetteError) -> StoredInteraction {
    let fingerprint = StoredInteraction.fingerprint(of: bytes)
    // The fast path; without this `if`, loading is slower with the same result.
    if let outline = QuickInteractionReader.outline(of: bytes, loader: loader, lastFields: lastFields) {
      let request = outline.recorded.request
      try check(request, in: directory.path(of: name))
      let stored = StoredInteraction(
        name, outline, key: matcher.key(for: request), bytes: bytes.count + request.body.count,
        like: lastHead, file: (fingerprint, directory))
      lastHead = stored.sharedHead
      return stored
    }
    let file = directory.path(of: name)
    let whole = try interaction(
      try JSONFile.parse(Array(bytes), file: file), name: name, in: file, bytes: bytes.count)
    return StoredInteraction(
      name, InteractionOutline(try whole.read()), key: whole.key, bytes: whole.bytes,
      file: (fingerprint, directory))
  }
}

extension RequestMatcher {
  package func key(for interaction: Interaction) throws(CassetteError) -> MatchKey {
    guard let body = interaction.largeRequestBody else { return key(for: interaction.request) }
    var request = interaction.request
    if CanonicalBody.isComparedAsBytes(body.size, request) {
      return key(for: request, bodyDigest: try body.open().digest())
    }
    request.body = try body.open().bytes(at: 0, count: body.size)
    return key(for: request)
  }
}

extension Interaction {
  /// Reads one interaction file without its cassette, as for git's `textconv`; body files are only named.
  /// - Throws: `CassetteError.absent` when there is no such file; another error for anything else.
  public init(contentsOf path: String) throws(CassetteError) {
    let directory = try CassetteDirectory(
      opening: path.contains("/") ? ForeignFile.parent(of: path) : ".")
    let name = ForeignFile.leaf(of: path)
    guard let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) else {
      throw .absent(directory: path)
    }
    self = try InteractionFormat.decode(
      try JSONFile.parse(bytes, file: path), in: path,
      loader: BodyLoader(directory: directory, readsFiles: false))
  }
}
