import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

/// An exchange from a file of another tool.
package struct ImportedExchange: Sendable, Equatable {
  /// The origin as a URL in its shortest form, like `https://api.example.com`; empty where the file names none.
  package var origin: String
  package var interaction: Interaction

  /// The exchange with a request that names its origin; `nil` where the file names none.
  var named: ImportedExchange? {
    guard let origin = HTTPOrigin(origin) else { return nil }
    var named = self
    named.interaction.request.name(origin)
    return named
  }
}

/// The content of files of other tools: the exchanges, in the order of the files, and a note for everything that could
/// not be carried over. Nothing that a file does not say is guessed.
package struct ImportedSession: Sendable {
  package internal(set) var exchanges: [ImportedExchange] = []
  package internal(set) var notes: [ImportNote] = []
  /// The rules of the cassette a file was exported from.
  package var manifest: CassetteManifest?

  package init() {}

  /// The origin that was recorded, where a cassette stands for one: as the exported cassette says, else the one of most
  /// exchanges.
  package var upstream: String? {
    guard let manifest, manifest.origins == nil else { return chiefOrigin }
    return manifest.upstream
  }

  /// The origins that were recorded: as the exported cassette says, else those of the exchanges.
  package var recordedOrigins: CassetteOrigins {
    if let manifest { return manifest.recordedOrigins }
    return origins.count { !$0.origin.isEmpty } > 1 ? .several : .one(chiefOrigin)
  }

  /// The redaction by which placeholders in the file were made, or will be.
  package var redaction: Redaction { manifest?.redaction ?? Redaction(upstream: recordedOrigins.upstream) }

  /// The rules of matching: those of the exported cassette, else the default.
  package var rules: MatchRules { manifest?.rules ?? MatchRules() }

  package mutating func append(_ other: ImportedSession) {
    exchanges += other.exchanges
    notes += other.notes
    manifest = manifest ?? other.manifest
  }

  /// Appends the exchange that `fill` makes of an entry, or a note that tells why there is none.
  /// - Returns: whether there is an exchange.
  @discardableResult
  mutating func append(
    file: String, entry: String, _ fill: (inout ExchangeDraft) throws(EntryRefusal) -> Void
  ) -> Bool {
    var draft = ExchangeDraft()
    do throws(EntryRefusal) {
      try fill(&draft)
      exchanges.append(try draft.finish())
      for remark in draft.remarks { note(remark.severity, remark.problem, file, entry, draft.summary) }
      return true
    } catch {
      note(error, file, entry, draft.summary)
      return false
    }
  }

  mutating func note(_ refusal: EntryRefusal, _ file: String, _ entry: String, _ request: String = "") {
    note(.skipped, "\(refusal.problem); left out", file, entry, request)
  }

  mutating func note(
    _ severity: ImportNote.Severity, _ problem: String, _ file: String, _ entry: String = "",
    _ request: String = ""
  ) {
    notes.append(ImportNote(severity: severity, file: file, entry: entry, request: request, problem: problem))
  }
}

// MARK: - Reading

extension ImportedSession {
  /// Reads a file of another tool, or a folder of WireMock's.
  /// - Parameter format: `nil` to detect it.
  /// - Throws: when it is no such file as a whole. What is wrong with a part of it leaves a note.
  package static func read(_ path: String, format: ImportFormat? = nil) throws(CassetteError) -> Self {
    guard ForeignFile.isFolder(path) else {
      return try read(ImportSource(unpacking: path), format: format)
    }
    guard format == nil || format == .wiremock else { throw .unknownFormat(path: path) }
    return try readWireMock(
      ImportSource.mappings(in: path).map { source throws(CassetteError) in (try source.document(), source) })
  }

  package static func read(_ source: ImportSource, format: ImportFormat? = nil) throws(CassetteError) -> Self
  {
    guard source.isJSON else { return try readYAML(source, format) }
    let document = try source.document()
    switch format ?? ImportFormat.detect(document) {
    case .har: return try readHAR(document, from: source)
    case .vcr, .vcrpy: return try readVCR(YAMLValue(document), file: source.path)
    case .wiremock: return try readWireMock([(document, source)])
    case .hoverfly: return try readHoverfly(document, from: source)
    case nil: throw .unknownFormat(path: source.path)
    }
  }

  private static func readYAML(_ source: ImportSource, _ format: ImportFormat?) throws(CassetteError) -> Self
  {
    // One of the first lines begins the member that the whole family has.
    let looksLikeVCR = source.bytes.prefix(64 * 1024).split(separator: 0x0A).contains { line in
      line.starts(with: "interactions:".utf8) || line.starts(with: "http_interactions:".utf8)
    }
    guard format == .vcr || format == .vcrpy || format == nil && looksLikeVCR else {
      throw .unknownFormat(path: source.path)
    }
    let document: YAMLValue
    do throws(YAMLError) { document = try YAMLReader.parse(source.bytes) } catch {
      throw .invalidYAML(file: source.path, line: error.line, column: error.column, problem: error.problem)
    }
    return try readVCR(document, file: source.path)
  }
}

// MARK: - Origins

extension ImportedSession {
  /// The origins in the order they first appear, each with its number of exchanges.
  package var origins: [(origin: String, count: Int)] {
    exchanges.groupedInOrder(by: \.origin).map { ($0, $1.count) }
  }

  /// The origin with the most exchanges; of equals, the first.
  package var chiefOrigin: String? {
    let origins = origins.filter { !$0.origin.isEmpty }
    let most = origins.map(\.count).max()
    return origins.first { $0.count == most }?.origin
  }

  /// Keeps the exchanges with some hosts, each named as a host, a host with its port, or an origin; all without any.
  /// - Returns: the hosts that no exchange is with.
  package mutating func keepOnly(_ hosts: [String]) -> [String] {
    guard !hosts.isEmpty else { return [] }
    let wanted = hosts.map { host in
      var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
      while name.hasSuffix("/") { name.removeLast() }
      return name
    }
    let names = Dictionary(uniqueKeysWithValues: origins.map { ($0.origin, Self.names(of: $0.origin)) })
    exchanges.removeAll { exchange in !wanted.contains { names[exchange.origin]?.contains($0) == true } }
    return zip(hosts, wanted).filter { _, name in !names.values.contains { $0.contains(name) } }.map(\.0)
  }

  /// The names of an origin: `https://api.example.com:8443`, `api.example.com:8443`, `api.example.com`.
  private static func names(of origin: String) -> [String] {
    guard let scheme = origin.firstRange(of: "://") else { return [origin] }
    let authority = origin[scheme.upperBound...]
    let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let bare = authority.dropLast(digits)
    let host = digits > 0 && bare.hasSuffix(":") ? bare.dropLast() : authority
    return [origin, String(authority), String(host)]
  }

  /// Makes each request name its origin. Leaves out those of which the file names none, as any host may have been asked.
  package mutating func nameOrigins() {
    let count = exchanges.count
    exchanges = exchanges.compactMap(\.named)
    guard exchanges.count < count else { return }
    let left = count - exchanges.count
    note(
      .skipped,
      "\(left == 1 ? "an exchange" : "\(left) exchanges") left out, since the file names no host, or none that is one; "
        + "--upstream URL makes a cassette of one origin", "\(origins.count) origins")
  }

  /// Keeps the responses of one origin where several responded to one request, since a cassette stands for one: the
  /// origin with the most exchanges if it is among them, else the first.
  package mutating func settleOrigins(by matcher: RequestMatcher) {
    guard origins.count > 1 else { return }
    let chief = chiefOrigin ?? ""
    let keyed = exchanges.map { (key: matcher.key(for: $0.interaction.request), exchange: $0) }
    var owners: [MatchKey: String] = [:]
    for (key, exchange) in keyed where owners[key] == nil || exchange.origin == chief {
      owners[key] = exchange.origin
    }
    var dropped: [String: (owner: String, count: Int)] = [:]
    exchanges = keyed.compactMap { key, exchange in
      guard let owner = owners[key], owner != exchange.origin else { return exchange }
      dropped[exchange.origin, default: (owner, 0)].count += 1
      return nil
    }
    for (origin, (owner, count)) in dropped.sorted(by: { $0.key < $1.key }) {
      note(
        .skipped,
        "\(count == 1 ? "an exchange" : "\(count) exchanges") left out, since \(owner) responded to the "
          + "same requests; --only HOST chooses", origin)
    }
  }
}
