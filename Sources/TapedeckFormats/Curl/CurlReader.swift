import TapedeckHTTP
public import TapedeckRecording

/// Reads curl command lines: what people keep in scripts, and what browsers copy.
public enum CurlReader {
  /// The requests of a text, and a note for each command that is none, or not only one.
  public static func read(_ bytes: [UInt8], file: String) -> (requests: [PlannedRequest], notes: [ImportNote])
  {
    var requests: [PlannedRequest] = []
    var notes: [ImportNote] = []
    for command in ShellWords.commands(bytes) {
      let entry = "line \(command.line)"
      func note(_ severity: ImportNote.Severity, _ problem: String) {
        notes.append(ImportNote(severity: severity, file: file, entry: entry, problem: problem))
      }
      do throws(EntryRefusal) {
        var line = CurlLine()
        try line.read(command)
        for problem in line.remarks { note(.lost, problem) }
        for (origin, request) in try line.requests() {
          requests.append(PlannedRequest(origin: origin, request: request, file: file, entry: entry))
        }
      } catch {
        note(.skipped, error.problem)
      }
    }
    return (requests, notes)
  }

  /// Whether a file holds a curl command, by one of its first lines; the bodies of other tools' files may hold one too.
  public static func isCurl(_ path: String) throws(CassetteError) -> Bool {
    guard ForeignFile.isThere(path) else { return false }
    let bytes = try ForeignFile.beginning(of: path)
    guard !ImportedSession.beginsAsJSON(bytes), !ImportedSession.looksLikeVCR(bytes) else { return false }
    return bytes.split(separator: 0x0A).contains { line in
      let word = line.drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) && $0 != 0x0D }
      return word.elementsEqual("curl".utf8) || word.elementsEqual("curl.exe".utf8)
    }
  }

  /// Reads a file of commands.
  public static func read(_ path: String) throws(CassetteError) -> (
    requests: [PlannedRequest], notes: [ImportNote]
  ) {
    read(try ImportFile.read(path).bytes, file: path)
  }
}
