internal import TapedeckHTTP

/// What the report of a run says about the interactions of its cassette.
struct UsageReport {
  /// How often each interaction file of the cassette was given.
  let hits: [String: Int]

  /// Interaction files that were never given.
  var unused: Set<String> { Set(hits.filter { $0.value == 0 }.keys) }
  /// Every interaction file the cassette had.
  var known: Set<String> { Set(hits.keys) }

  init(parsing bytes: [UInt8], file: String) throws(Failure) {
    let document: JSONValue
    do { document = try JSONValue(parsing: bytes) } catch {
      throw Failure("\(file) is no report of a run: \(error)")
    }
    guard document["tapedeck-report"]?.int == 1, let uses = document["interactions"]?.array else {
      throw Failure("\(file) is no report of a run; one is written by --report FILE of replay, serve and run")
    }
    var hits: [String: Int] = [:]
    for use in uses {
      guard let name = use["file"]?.text, let count = use["hits"]?.int else {
        throw Failure("\(file) is damaged: an item of `interactions` has no `file` and `hits`")
      }
      hits[name] = count
    }
    self.hits = hits
  }
}
