import TapedeckHTTP

/// Changes one response of a cassette. All responses to the same request are recorded again, so that each keeps its name
/// and its place, and files that stay the same are not touched.
extension CassetteRecorder {
  /// Puts an interaction in the place of another one, or adds it.
  /// - Parameter file: the file of the interaction that it replaces; `nil` adds it after the responses to the same
  ///   request.
  /// - Throws: `refused` if the cassette has no such file, and what a recording throws; nothing is changed then.
  /// - Returns: the interaction that was replaced; `nil` if none was.
  @discardableResult
  package static func put(
    _ interaction: Interaction, inPlaceOf file: String?, in path: String, secrets: SecretPolicy = .tell
  ) throws(CassetteError) -> (replaced: Interaction?, report: SealReport) {
    let known = try Cassette.load(path)
    var replaced: StoredInteraction?
    if let file {
      replaced = known.interactions.first { $0.fileName == file }
      guard replaced != nil else { throw .refused(path: path, reason: "it has no interaction \(file)") }
    }
    let recorder = try open(path, origins: known.recordedOrigins, replacing: true, secrets: secrets)
    do throws(CassetteError) {
      let key = replaced?.key ?? recorder.matcher.key(for: interaction.request)
      for stored in known.recordedOrder[key] ?? [] {
        try recorder.record(
          stored === replaced ? interaction : try stored.read(), arrival: recorder.nextArrival())
      }
      if replaced == nil { try recorder.record(interaction, arrival: recorder.nextArrival()) }
      let before = try replaced?.read()
      return (before, try recorder.seal())
    } catch {
      recorder.discard()
      throw error
    }
  }

  /// Removes the last response to a request, and its body.
  /// - Throws: `refused` if the cassette has no such file, or later responses to the same request.
  package static func remove(_ file: String, from path: String) throws(CassetteError) {
    let known = try Cassette.load(path)
    guard let stored = known.interactions.first(where: { $0.fileName == file }) else {
      throw .refused(path: path, reason: "it has no interaction \(file)")
    }
    guard known.recordedOrder[stored.key]?.last === stored else {
      throw .refused(path: path, reason: "a later response to the same request follows \(file)")
    }
    // Its journal is the cassette's lock.
    let recorder = try open(path, origins: known.recordedOrigins, replacing: true)
    defer { recorder.discard() }
    try CassetteDirectory(opening: path).remove(file)
  }
}
