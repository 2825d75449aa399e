@testable import TapedeckFormats
@testable import TapedeckHTTP
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// A file of another tool: an error, or exchanges that a cassette holds and a HAR of ours brings back as they were, and
/// notes that say something.
enum ImportLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let session: ImportedSession
    do throws(CassetteError) {
      session = try ImportedSession.read(ImportSource(path: "file", bytes: input))
    } catch {
      return try require(!error.description.isEmpty, "an error without words")
    }
    for note in session.notes {
      try require(!note.problem.isEmpty && !note.file.isEmpty, "a note without words")
    }
    for exchange in session.exchanges { try check(exchange.interaction) }
    _ = ImportNote.summary(session.notes)
    var named = session
    named.nameOrigins()
    for exchange in named.exchanges {
      try require(
        exchange.interaction.origin?.description == exchange.origin, "\(exchange.origin) has another name")
      try travels(exchange.interaction)
    }
    var settled = session
    settled.settleOrigins(by: RequestMatcher())
    try require(settled.exchanges.count <= session.exchanges.count, "origins made exchanges")
  }

  /// What was imported is written and read as itself, and goes through HAR.
  private static func check(_ interaction: Interaction) throws(BrokenLaw) {
    let directory = try CassetteFolder.open()
    var stored: [String] = []
    defer { CassetteFolder.forget(stored, in: directory) }
    let tree = try write(interaction, directory, &stored)
    let reader = CassetteReader(directory)
    let again: Interaction
    do throws(CassetteError) {
      again = try reader.interaction(tree, name: "file", in: "file").interaction
    } catch {
      throw BrokenLaw("what was imported cannot be read: \(error)")
    }
    try require(
      again.response.head == interaction.response.head,
      "\(interaction.response.head) became \(again.response.head)")
    try require(
      again.request.fields == interaction.request.fields, "\(interaction.request) became \(again.request)")
    try require(
      try write(again, directory, &stored) == tree,
      "what was imported is written differently when it was read")
    try travels(again)
  }

  static func write(
    _ interaction: Interaction, _ directory: CassetteDirectory, _ stored: inout [String]
  ) throws(BrokenLaw) -> JSONValue {
    do throws(CassetteError) {
      return try InteractionFormat.encode(interaction) { body throws(CassetteError) in
        try CassetteFolder.store(body, in: directory, noting: &stored)
      }
    } catch {
      throw BrokenLaw("it cannot be written: \(error)")
    }
  }

  /// To HAR and back, nothing is lost.
  static func travels(_ interaction: Interaction) throws(BrokenLaw) {
    let directory = try CassetteFolder.open()
    var stored: [String] = []
    defer { CassetteFolder.forget(stored, in: directory) }
    let tree = try write(interaction, directory, &stored)
    var session: ImportedSession
    do throws(CassetteError) {
      let writer = HARWriter(creatorVersion: "law", upstream: "http://origin.test/prefix")
      let har: JSONValue = ["log": ["entries": .array([try writer.entry(interaction)])]]
      session = try ImportedSession.read(ImportSource(path: "har", bytes: har.bytes()))
    } catch {
      throw BrokenLaw("our own HAR is not read: \(error)")
    }
    if interaction.origin != nil { session.nameOrigins() }
    guard let again = session.exchanges.first else {
      throw BrokenLaw("our own HAR lost it: \(session.notes)")
    }
    try require(
      try write(again.interaction, directory, &stored) == tree,
      "\(interaction) came back as \(again.interaction)")
  }
}
