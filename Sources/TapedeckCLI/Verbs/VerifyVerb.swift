internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let unsafeMethods = Option(
    name: "--unsafe-methods", help: "ask POST, PUT, PATCH and DELETE too, one by one, in their order")
  static let jobs = Option(name: "--jobs", value: "N", help: "requests under way at once (4)")
  static let header = Option(
    name: "--header", value: "'NAME: VALUE'", help: "sent instead of what was recorded", aliases: ["-H"],
    isRepeatable: true)
  static let timeout = Option(
    name: "--timeout", value: "SECONDS", help: "longest wait for a whole answer (30)")
}

extension Verb {
  static let verify = Verb(
    name: "verify", group: .cassettes, summary: "ask the live API again and tell where it drifted",
    synopsis: "CASSETTE [--upstream URL] [options]",
    options: [
      .upstream, .header, .unsafeMethods, .jobs, .timeout, .json, .report, .reportJUnit, .caCertificate,
      .insecure, .upstreamProxy, .connectTimeout,
    ],
    examples: [
      "tapedeck verify example",
      "tapedeck verify example --upstream https://staging.example.com -H 'Authorization: Bearer …'",
      "tapedeck verify example --report-junit drift.xml",
    ],
    notes: """
      Asks what was recorded (without --upstream, of the origin that was recorded) and compares the shape of the
      answers, not their values: status, content type, header names, and the fields and types of JSON bodies. Drift
      is breaking, notable or info; breaking drift exits with 4. Only GET, HEAD and OPTIONS are asked. Secrets are
      redacted in recordings: give credentials with --header.
      """
  ) { arguments in
    let verification = try Verification(arguments)
    // Whoever ends it gets a report of what there is.
    Signals.block()
    let findings = try verification.run()
    let report = DriftReport(
      cassette: verification.cassette.path, upstream: verification.upstream, findings: findings)
    if let file = arguments[.report] { try OutputFile.write(report.json.bytes(.pretty), to: file) }
    if let file = arguments[.reportJUnit] { try OutputFile.write(Array(report.junit.text.utf8), to: file) }
    if arguments.has(.json) {
      Terminal.out(json: report.json)
    } else {
      Terminal.out(report.text(.output))
    }
    return report.exitCode == .good && Signals.isEndPending ? .failure : report.exitCode
  }
}

/// A cassette held against the live API.
struct Verification {
  let cassette: Cassette
  let upstream: String
  private let requests: [DriftRequest]
  private let batch: UpstreamBatch

  init(_ arguments: Arguments) throws {
    let name = try arguments.words("cassette", required: 1)[0]
    let fields = try Self.fields(arguments)
    // Wrong use is reported before anything is read.
    let jobs = try arguments.number(.jobs, in: 1...256)
    let timeoutMilliseconds = try arguments.milliseconds(.timeout)
    cassette = try CassetteReading.load(name)
    guard let url = arguments[.upstream] ?? cassette.upstream else {
      throw UsageError("\(cassette.path) does not say what was recorded; give --upstream URL")
    }
    upstream = url
    if arguments.has(.insecure) { Terminal.say(ServeSettings.insecureWarning) }
    let sendsUnsafe = arguments.has(.unsafeMethods)
    requests = try DriftRequest.all(of: cassette, sendsUnsafeMethods: sendsUnsafe, fields: fields)
    var batch = try Self.batch(arguments, upstream: url)
    // A request that changes something decides what those after it get.
    batch.jobs = jobs ?? (sendsUnsafe ? 1 : 4)
    if let timeoutMilliseconds { batch.timeoutMilliseconds = timeoutMilliseconds }
    self.batch = batch
  }

  private static func batch(_ arguments: Arguments, upstream: String) throws -> UpstreamBatch {
    var configuration = ProxyConfiguration()
    try ServeSettings.readReaching(arguments, into: &configuration)
    configuration.mode = .passthrough
    configuration.upstream = upstream
    do throws(ProxyError) { try configuration.validate() } catch { throw UsageError(error.description) }
    return try UpstreamBatch(configuration)
  }

  private static func fields(_ arguments: Arguments) throws(UsageError) -> HTTPFields {
    var fields = HTTPFields()
    for text in arguments.all(.header) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      do {
        guard parts.count == 2 else { throw HTTPFieldError.invalidName(text) }
        try fields.append(String(parts[0]), String(parts[1]))
      } catch {
        throw UsageError("--header takes 'NAME: VALUE', like 'Authorization: Bearer …': \(error)")
      }
    }
    return fields
  }

  /// Sends the requests, with progress shown, and compares the responses.
  func run() throws -> [DriftFinding] {
    let sent = requests.enumerated().compactMap { index, recorded -> (index: Int, request: HTTPRequest)? in
      guard case .send(let request) = recorded.plan else { return nil }
      return (index, request)
    }
    let progress = Progress("verifying", total: sent.count)
    defer { progress.finish() }
    let results = try batch.results(for: sent.map(\.request), until: { Signals.isEndPending }) { index in
      progress.advance(by: 1, "\(sent[index].request.method) \(sent[index].request.targetText)")
    }
    var byRequest: [Int: UpstreamBatch.Result] = [:]
    for ((index, _), result) in zip(sent, results) { byRequest[index] = result }
    progress.finish()
    if byRequest.count < sent.count {
      Terminal.say("interrupted: \(sent.count - byRequest.count) of \(sent.count) requests have no result")
    }
    return requests.enumerated().map { DriftFinding($0.element, byRequest[$0.offset]) }
  }
}
