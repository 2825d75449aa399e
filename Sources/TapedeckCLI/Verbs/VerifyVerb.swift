internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let unsafeMethods = Option(
    "--unsafe-methods", help: "also send POST, PUT, PATCH and DELETE, one at a time, in order")
  static let jobs = Option("--jobs", "N", help: "simultaneous requests (4)")
  static let header = Option(
    "--header", "'NAME: VALUE'", help: "replaces the recorded header", aliases: ["-H"], isRepeatable: true)
  static let timeout = Option("--timeout", "SECONDS", help: "time for a whole response (30)")
}

extension Verb {
  static let verify = Verb(
    name: "verify", group: .cassettes, summary: "send recorded requests to the live API and report drift",
    synopsis: "CASSETTE [--upstream URL] [options]",
    options: [
      .upstream, .header, .unsafeMethods, .jobs, .timeout, .json, .report, .reportJUnit, .caCertificate,
      .insecure, .clientCertificate, .clientKey, .upstreamProxy, .resolve, .connectTimeout,
    ],
    examples: [
      "tapedeck verify example",
      "tapedeck verify example --upstream https://staging.example.com -H 'Authorization: Bearer …'",
      "tapedeck verify example --report-junit drift.xml",
    ],
    notes: """
      Sends the recorded requests (without --upstream, to the recorded origin) and compares the shape of the responses,
      not their values: status, content type, header names, and the fields and types of JSON bodies. Drift is breaking,
      notable or info; breaking drift exits with 4. By default, only GET, HEAD and OPTIONS are sent. Secrets are
      redacted in recordings: give credentials with --header, which needs --upstream and goes only there.
      """
  ) { arguments in
    let name = try arguments.words("cassette", required: 1)[0]
    // Wrong use is reported before anything is read.
    let given = try fields(arguments)
    let jobs = try arguments.number(.jobs, in: 1...256)
    let timeout = try arguments.milliseconds(.timeout)
    let cassette = try CassettePath.load(name)
    guard let upstream = arguments[.upstream] ?? cassette.upstream else {
      throw UsageError("\(cassette.path) does not name its origin; give --upstream URL")
    }
    // Whoever wrote the cassette chose the origin that it names; credentials go only where the user says.
    let fields = arguments[.upstream] == nil ? HTTPFields() : given
    if fields.count < given.count {
      Terminal.say(
        "warning: --header is not sent to \(upstream), which only the cassette names; give --upstream \(upstream)"
      )
    }
    if arguments[.upstream] == nil, arguments.has(.clientCertificate) {
      throw UsageError(
        "--client-cert is not shown to \(upstream), which only the cassette names; give --upstream \(upstream)"
      )
    }
    if arguments.has(.insecure) { Terminal.say(ServeSettings.insecureWarning) }
    let sendsUnsafe = arguments.has(.unsafeMethods)
    let requests = try DriftRequest.all(of: cassette, sendsUnsafeMethods: sendsUnsafe, fields: fields)
    var configuration = ProxyConfiguration()
    try ServeSettings.readConnecting(arguments, into: &configuration)
    (configuration.mode, configuration.upstream) = (.passthrough, upstream)
    try UsageError.from { try configuration.validate() }
    var batch = try UpstreamBatch(configuration)
    // Unsafe requests change the responses to those after them.
    batch.jobs = jobs ?? (sendsUnsafe ? 1 : 4)
    if let timeout { batch.timeoutMilliseconds = timeout }
    // A signal ends the verification, not the process: the results so far are reported.
    Signals.block()
    let report = DriftReport(
      cassette: cassette.path, upstream: upstream,
      findings: try findings(requests, batch, unnamedUpstream: arguments[.upstream] == nil ? upstream : nil))
    if let file = arguments[.report] { try OutputFile.write(report.json.bytes(.pretty), to: file) }
    if let file = arguments[.reportJUnit] { try OutputFile.write(Array(report.junit.text.utf8), to: file) }
    arguments.show(report.text, json: report.json)
    return report.exitCode == .good && Signals.isEndPending ? .failure : report.exitCode
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

  private static func findings(
    _ requests: [DriftRequest], _ batch: UpstreamBatch, unnamedUpstream: String?
  ) throws -> [DriftFinding] {
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
    return requests.enumerated().map {
      DriftFinding($0.element, byRequest[$0.offset], unnamedUpstream: unnamedUpstream)
    }
  }
}
