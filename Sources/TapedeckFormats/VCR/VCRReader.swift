import TapedeckRecording

/// Reads the cassettes of VCR (Ruby), vcrpy (Python) and go-vcr, which are one family: `http_interactions` or
/// `interactions`, each a request and a response with headers of several values, in YAML or JSON.
///
/// Bodies are taken as they were on the wire. Templates in them are not evaluated.
enum VCRReader {
  static func read(_ document: YAMLValue, file: String) throws(CassetteError) -> ImportedSession {
    guard let interactions = (document["http_interactions"] ?? document["interactions"])?.list else {
      throw .invalidEntry(
        file: file, member: "interactions",
        problem: "VCR and its kin have a list here, or in http_interactions")
    }
    var session = ImportedSession()
    for (index, interaction) in interactions.enumerated() {
      session.append(file: file, entry: "interaction \(index + 1)") { draft throws(EntryRefusal) in
        try VCRInteraction(interaction).fill(&draft)
      }
    }
    return session
  }
}
