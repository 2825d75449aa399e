import TapedeckHTTP
package import TapedeckRedaction

/// Redacts recorded interactions by what is known only after them: secrets that others reveal, new rules, and
/// what a scan finds.
///
/// All interactions are searched before the first changes, so a secret that one reveals is hidden in all. A
/// client that sends it at replay still gets its response, because its hash is in the cassette
/// (`SecretLinks`).
package struct LateRedaction {
  private let redaction: Redaction
  private let memory: SecretMemory
  private let scanner: SecretScanner?
  private let findsSecrets: Bool
  private var hashes: SecretHashes?

  /// - Parameters:
  ///   - memory: the secrets that are known already.
  ///   - findsSecrets: whether to redact by the rules too, not only copies.
  ///   - hidesFinds: whether to hide what a scan finds.
  package init(
    _ redaction: Redaction, memory: SecretMemory = SecretMemory(), findsSecrets: Bool = true, hidesFinds: Bool
  ) {
    self.redaction = redaction
    self.memory = memory
    self.findsSecrets = findsSecrets
    scanner = hidesFinds ? redaction.rules.map { SecretScanner($0) } : nil
    hashes = redaction.policy.map { SecretHashes($0) }
  }

  /// Whether there is nothing to hide, as far as the interactions have been learned.
  package var isEmpty: Bool { memory.known.isEmpty && !findsSecrets }

  /// Whether some secrets are known only by their hashes; then all interactions must be given to `recognize`.
  package var hasHashes: Bool { hashes?.isEmpty == false }

  /// Learns an interaction's secrets, and the hashes of those that were redacted before.
  package mutating func learn(_ interaction: Interaction) throws(CassetteError) {
    guard let policy = redaction.policy else { return }
    try interaction.eachText { text in hashes?.note(text[...]) }
    guard findsSecrets else { return }
    let redacted = redaction.redacted(interaction, memory: memory).interaction
    guard let scanner else { return }
    for find in try scanner.finds(in: redacted, file: "") where !find.isUnsearchedBody {
      memory.add(find, policy)
    }
  }

  /// Learns the words of an interaction that have the hash of a redacted secret.
  package mutating func recognize(in interaction: Interaction) throws(CassetteError) {
    guard hasHashes else { return }
    var known = KnownSecrets()
    try interaction.eachText { text in hashes?.recognize(in: text[...], &known) }
    memory.add(known)
  }

  /// The interaction without any learned secret, and the number of hidden values.
  /// - Parameter store: stores the new content of a body file; `nil` leaves body files unchanged.
  package func hidden(
    _ interaction: Interaction, store: ((BodyCopy) throws(CassetteError) -> BodyFile)? = nil
  ) throws(CassetteError) -> (interaction: Interaction, count: Int) {
    guard let policy = redaction.policy else { return (interaction, 0) }
    let search = SecretSearch(policy, known: memory.known)
    var result = interaction
    if let store { result = try search.copylessFiles(of: interaction, store: store) }
    result = findsSecrets ? search.redacted(result) : search.copyless(result)
    return (result, search.count)
  }
}

extension LateRedaction {
  /// Learns all that a left-over journal reveals.
  /// - Returns: warnings about left-out lines.
  mutating func learn(
    journal: OpenFile, _ reader: CassetteReader
  ) throws(CassetteError) -> [String] {
    var late = self
    let warnings = try Journal(reading: journal, isJoining: true) { entry throws(CassetteError) in
      try late.learn(try reader.interaction(entry).read())
    }.warnings
    if late.hasHashes {
      _ = try Journal(reading: journal, isJoining: true) { entry throws(CassetteError) in
        try late.recognize(in: try reader.interaction(entry).read())
      }
    }
    self = late
    return warnings
  }
}

extension CassetteReader {
  fileprivate func interaction(_ entry: Journal.Entry) throws(CassetteError) -> StoredInteraction {
    try interaction(entry.record.tree, name: CassetteNames.journal, in: entry.file)
  }
}

extension Interaction {
  /// The bytes of a large body that are read at once, and their overlap: the longest word that is seen whole.
  private static let windowBytes = 1 << 20
  private static let overlapBytes = 8 * 1024

  /// Every text in which a secret may be: target, field values, and bodies without their content coding.
  fileprivate func eachText(_ take: ([UInt8]) -> Void) throws(CassetteError) {
    take(request.target)
    for head in response.interim + [response.head] { take(head.reason) }
    let lists =
      [request.fields, request.trailers, response.head.fields, response.trailers]
      + response.interim.map(\.fields)
    for field in lists.joined() { take(Array(field.value)) }
    Self.give(request.body, request.fields, to: take)
    if let body = largeRequestBody { try Self.give(body, request.fields, to: take) }
    for message in response.webSocket?.messages ?? [] { Self.give(message.bytes, HTTPFields(), to: take) }
    if let reason = response.webSocket?.close?.reason { take(reason) }
    switch response.body {
    case .bytes(let bytes): Self.give(bytes, response.head.fields, to: take)
    case .file(let body): try Self.give(body, response.head.fields, to: take)
    }
  }

  private static func give(_ body: [UInt8], _ fields: HTTPFields, to take: ([UInt8]) -> Void) {
    let text = BodyCoding(fields).decoded(body[...]) ?? body
    if SecretSearch.isText(text[...], type: MediaType(fields)) { take(text) }
  }

  private static func give(
    _ body: BodyFile, _ fields: HTTPFields, to take: ([UInt8]) -> Void
  ) throws(CassetteError) {
    let reader = try body.open()
    if reader.isOpenable(fields) {
      return give(try reader.bytes(at: 0, count: reader.size), fields, to: take)
    }
    guard try reader.isText(fields) else { return }
    var offset = 0
    while offset < reader.size {
      take(try reader.bytes(at: offset, count: windowBytes + overlapBytes))
      offset += windowBytes
    }
  }
}

extension BodyFileReader {
  /// Whether a body has a content coding and is small enough to be opened.
  fileprivate func isOpenable(_ fields: HTTPFields) -> Bool {
    size <= SecretSearch.maximumStructuredBytes && BodyCoding(fields) != .identity
  }

  /// Whether a body is text that no content coding hides.
  fileprivate func isText(_ fields: HTTPFields) throws(CassetteError) -> Bool {
    let coding = BodyCoding(fields)
    guard coding == .identity else {
      return coding.isMisnamed(beginningWith: try bytes(at: 0, count: BodyCoding.beginningBytes)[...])
    }
    return SecretSearch.isText(try bytes(at: 0, count: 1024)[...], type: MediaType(fields))
  }
}

// MARK: - Body files

/// The content of a body file without copies of secrets, produced piece by piece.
package struct BodyCopy {
  fileprivate let file: BodyFile
  fileprivate let fields: HTTPFields
  fileprivate let known: KnownSecrets
  fileprivate let policy: RedactionPolicy

  /// - Returns: the finds, with their ranges in the file unless it was encoded again.
  func write(
    _ put: ([UInt8]) throws(CassetteError) -> Void
  ) throws(CassetteError) -> (finds: Finds, isRecoded: Bool) {
    let search = SecretSearch(policy, known: known)
    let reader = try file.open()
    if reader.isOpenable(fields) {
      let copy = search.copyless(try reader.bytes(at: 0, count: reader.size), fields: fields)
      try put(copy.bytes)
      return (copy.finds ?? Finds(), copy.isRecoded)
    }
    let redaction = LongTextRedaction(search, isOnlyCopies: true)
    var offset = 0
    while offset < reader.size {
      let piece = try reader.bytes(at: offset, count: 1 << 18)
      guard !piece.isEmpty else { break }
      try put(piece.withUnsafeBytes { redaction.append($0) })
      offset += piece.count
    }
    try put(redaction.finish())
    return (redaction.finds, false)
  }
}

extension SecretSearch {
  fileprivate func copylessFiles(
    of interaction: Interaction, store: (BodyCopy) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> Interaction {
    var result = interaction
    if let body = interaction.largeRequestBody,
      let new = try copyless(body, interaction.request.fields, store)
    {
      result.largeRequestBody = new.file
      result.request.fields.describe(bodyOf: new.file.size)
    }
    if case .file(let body) = interaction.response.body,
      let new = try copyless(body, interaction.response.head.fields, store)
    {
      result.setResponseBody(
        new.file, chunks: { new.isRecoded ? [new.file.size] : new.finds.mappedSizes($0) })
      result.response.head.fields.describe(bodyOf: new.file.size)
    }
    return result
  }

  /// The new file; `nil` when the body has no copies.
  private func copyless(
    _ body: BodyFile, _ fields: HTTPFields, _ store: (BodyCopy) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> (file: BodyFile, finds: Finds, isRecoded: Bool)? {
    let reader = try body.open()
    guard hasCopies else { return nil }
    if !reader.isOpenable(fields) {
      guard try reader.isText(fields) else { return nil }
    }
    let copy = BodyCopy(file: body, fields: fields, known: known, policy: policy)
    let (finds, isRecoded) = try copy.write { _ throws(CassetteError) in }
    guard !finds.isEmpty else { return nil }
    count += finds.count
    return (try store(copy), finds, isRecoded)
  }
}

extension BodyFile {
  /// Writes the content of a body file without secrets into its cassette. The caller must hold the lock.
  package static func store(
    _ copy: BodyCopy, in directory: CassetteDirectory
  ) throws(CassetteError) -> BodyFile {
    let temporary = "\(folder)/\(BodySpool.prefix)copy"
    try directory.makeFolder(folder)
    let file = try directory.createFile(temporary)
    do throws(CassetteError) {
      let digest = SHA256Stream()
      var size = 0
      _ = try copy.write { piece throws(CassetteError) in
        try file.write(piece)
        piece.withUnsafeBytes(digest.update)
        size += piece.count
      }
      let body = BodyFile(name: name(digest: digest.finish()), size: size, directory: directory)
      try directory.rename(temporary, to: body.name)
      return body
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }
}
