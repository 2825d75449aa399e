import TapedeckRecording

/// Reads the cassettes of VCR (Ruby), vcrpy (Python) and go-vcr, which are one family: `http_interactions` or
/// `interactions`, each a request and a response with headers of several values, in YAML or JSON.
///
/// Bodies are taken as they were on the wire. Templates in them are not evaluated.
struct VCRReader {
  private let file: String
  private var session = ImportedSession()

  static func interactions(_ document: YAMLValue) -> [YAMLValue]? {
    (document["http_interactions"] ?? document["interactions"])?.list
  }

  static func read(_ document: YAMLValue, file: String) throws(CassetteError) -> ImportedSession {
    guard let interactions = interactions(document) else {
      throw .invalidEntry(
        file: file, member: "interactions",
        problem: "VCR and its kin have a list here, or in http_interactions")
    }
    var reader = VCRReader(file: file)
    for (index, interaction) in interactions.enumerated() {
      reader.session.take(file: file, entry: "interaction \(index + 1)") { draft throws(EntryRefusal) in
        try VCRInteraction(interaction).fill(&draft)
      }
    }
    return reader.session
  }

  private init(file: String) { self.file = file }
}
