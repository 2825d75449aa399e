import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// New contents for interaction files, under temporary names until all of them are written.
struct FileReplacement {
  private(set) var hiddenCount = 0
  private(set) var changedFiles: [String] = []
  private let directory: CassetteDirectory
  private let recorder: CassetteRecorder
  private var late: LateRedaction
  private var staged: [(temporary: String, name: String)] = []
  /// The least format version that covers all files.
  private var formatVersion = 1

  init(_ path: String, _ recorder: CassetteRecorder) throws(CassetteError) {
    directory = try CassetteDirectory(opening: path)
    self.recorder = recorder
    late = LateRedaction(recorder.matcher.redaction, memory: recorder.memory, hidesFinds: true)
  }

  /// - Returns: the old requests of changed interactions.
  mutating func stage(onStep: (Int, Int) -> Void) throws(CassetteError) -> [HTTPRequest] {
    let directory = directory
    let names = try directory.interactionNames(inFolders: recorder.hasSeveralOrigins)
    var requests: [HTTPRequest] = []
    for (index, name) in names.enumerated() {
      try late.learn(try read(name).interaction)
      onStep(index + 1, names.count * 2)
    }
    if late.hasHashes { for name in names { try late.recognize(in: try read(name).interaction) } }
    for (index, name) in names.enumerated() {
      let (tree, interaction) = try read(name)
      let (hidden, count) = try late.hidden(try withoutSecretsInFiles(interaction)) {
        copy throws(CassetteError) in try BodyFile.store(copy, in: directory)
      }
      onStep(names.count + index + 1, names.count * 2)
      guard try encoded(hidden) != encoded(interaction) else {
        formatVersion = max(formatVersion, InteractionFormat.version(of: tree))
        continue
      }
      if hidden.request != interaction.request { requests.append(interaction.request) }
      hiddenCount += max(count, 1)
      changedFiles.append(name)
      let new = try InteractionFormat.encode(hidden) { body throws(CassetteError) in
        try BodyFile.store(body, in: directory)
      }
      formatVersion = max(formatVersion, InteractionFormat.version(of: new))
      try stage(InteractionFormat.fileBytes(new.keepingFreeMembers(of: tree)), as: name)
    }
    return requests
  }

  private func read(_ name: String) throws(CassetteError) -> (tree: JSONValue, interaction: Interaction) {
    try directory.decoded(try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? [], of: name)
  }

  /// The tree that would be written.
  private func encoded(_ interaction: Interaction) throws(CassetteError) -> JSONValue {
    let directory = directory
    return try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      BodyFile(name: BodyFile.name(digest: SHA256Digest(of: body)), size: body.count, directory: directory)
    }
  }

  mutating func stageRules() throws(CassetteError) {
    let present = try CassetteReader(directory).manifest()
    var manifest = present ?? CassetteManifest(recorder.hasSeveralOrigins ? .several : .one(nil))
    manifest.formatVersion = max(manifest.formatVersion, formatVersion)
    manifest.rules = present?.rules ?? recorder.matcher.rules
    manifest.redaction = recorder.matcher.redaction
    if manifest != present { try stage(manifest.fileBytes, as: CassetteNames.manifest) }
  }

  private mutating func stage(_ bytes: [UInt8], as name: String) throws(CassetteError) {
    let temporary = "\(Sealer.temporaryPrefix)\(staged.count).tmp"
    staged.append((temporary, name))
    try directory.createFile(temporary, contents: bytes)
  }

  mutating func commit() throws(CassetteError) {
    if staged.isEmpty { return }
    try directory.syncFileSystem()
    while let file = staged.first {
      try directory.rename(file.temporary, to: file.name)
      staged.removeFirst()
    }
    try directory.sync()
  }

  mutating func discard() {
    for file in staged { try? directory.remove(file.temporary) }
    staged = []
    recorder.stop()
  }

  // MARK: Large bodies

  private func withoutSecretsInFiles(_ interaction: Interaction) throws(CassetteError) -> Interaction {
    var result = interaction
    if let body = interaction.largeRequestBody,
      case .file(let file) = try rewritten(body, respondingTo: nil, interaction.request.fields, sizes: [])
        .body
    {
      result.largeRequestBody = file
    }
    guard case .file(let body) = interaction.response.body else { return result }
    let (new, sizes) = try rewritten(
      body, respondingTo: interaction.request, interaction.response.head.fields,
      sizes: interaction.response.chunkSizes ?? [])
    guard new != .file(body) else { return result }
    result.response.body = new
    if result.response.chunkSizes != nil { result.response.chunkSizes = sizes.filter { $0 > 0 } }
    if sizes.contains(0) { result.volatile.chunkOffsetsMilliseconds = nil }
    return result
  }

  /// Redacts a body file as in recording.
  private func rewritten(
    _ body: BodyFile, respondingTo request: HTTPRequest?, _ fields: HTTPFields, sizes: [Int]
  ) throws(CassetteError) -> (body: RecordedBody, sizes: [Int]) {
    let spool = recorder.makeSpool(respondingTo: request, fields: fields)
    try body.open().eachPiece { piece throws(CassetteError) in
      try piece.withRawBytes { piece throws(CassetteError) in try spool.append(piece) }
    }
    let new = try spool.finish()
    // A short body comes back as bytes, which are redacted with the rest of the exchange.
    return (new, spool.mapped(chunkSizes: sizes))
  }
}

extension BodyFileReader {
  /// Reads all of the file, piece by piece.
  func eachPiece(_ take: ([UInt8]) throws(CassetteError) -> Void) throws(CassetteError) {
    var offset = 0
    while offset < size {
      let piece = try bytes(at: offset, count: 1 << 18)
      guard !piece.isEmpty else { return }
      try take(piece)
      offset += piece.count
    }
  }
}

extension CassetteDirectory {
  /// The content of an interaction file, as text and parsed.
  func decoded(
    _ bytes: [UInt8], of name: String
  ) throws(CassetteError) -> (tree: JSONValue, interaction: Interaction) {
    let file = path(of: name)
    let tree = try JSONFile.parse(bytes, file: file)
    return (tree, try InteractionFormat.decode(tree, in: file, loader: BodyLoader(directory: self)))
  }
}
