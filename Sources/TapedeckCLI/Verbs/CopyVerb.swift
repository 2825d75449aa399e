internal import Glibc
internal import TapedeckHTTP
internal import TapedeckObjectStore
internal import TapedeckRecording

extension Verb {
  static let copy = Verb(
    name: "copy", group: .cassettes, summary: "copy a cassette to or from an object store",
    synopsis: "CASSETTE CASSETTE", options: [.json] + Option.store,
    examples: [
      "tapedeck copy example s3://team-cassettes/example",
      "tapedeck copy s3://team-cassettes/example example",
    ],
    notes: """
      Copies the first cassette to a place where there is none; one of both, or both, are s3://BUCKET/PREFIX. The store
      is the one that the variables and profiles of AWS name: AWS_ENDPOINT_URL, AWS_REGION, AWS_PROFILE,
      AWS_ACCESS_KEY_ID and so on. To add to a cassette that is there: tapedeck merge … --into s3://BUCKET/PREFIX
      """
  ) { arguments in
    let words = try arguments.words("cassette to copy", "place to copy it to", required: 2)
    let (source, target) = (words[0], words[1])
    guard RemoteCassettes.isMeant(by: source) || RemoteCassettes.isMeant(by: target) else {
      throw UsageError("neither of both is in an object store; copy folders with cp -r")
    }
    // What cannot be loaded is not copied.
    let cassette = try CassettePath.load(source)
    let progress = Progress("copying")
    defer { progress.finish() }
    var report = PublishReport()
    if RemoteCassettes.isMeant(by: target) {
      guard !cassette.isForeignFile else { throw CassetteError.notOurs(path: source) }
      report = try RemoteCassettes.remote(target).publishNew(cassette.path) { progress.set($0, of: $1) }
      progress.finish()
      if !arguments.has(.json) { RemoteCassettes.tell(report, target) }
    } else {
      let path = try CassettePath.resolve(target)
      _ = try RemoteCassettes.remote(source).copy(to: path) { progress.set($0, of: $1) }
      progress.finish()
      if !arguments.has(.json) {
        Terminal.say("copied \(source) to \(path): \(HumanText.count(cassette.count, "interaction"))")
      }
    }
    if arguments.has(.json) {
      Terminal.out(json: [
        "from": JSONValue(source), "to": JSONValue(target), "interactions": JSONValue(cassette.count),
        "objects": JSONValue(report.objects), "bytes": JSONValue(report.bytes),
      ])
    }
    return .good
  }
}
