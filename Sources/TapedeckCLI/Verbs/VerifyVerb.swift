import TapedeckFormats
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let unsafeMethods = Option(
    "--unsafe-methods",
    help:
      "also send POST, PUT, PATCH and DELETE, and what clients said over WebSockets, one at a time, in order")
  static let jobs = Option(
    "--jobs", "N", help: "simultaneous requests", default: "4, or 1 with --unsafe-methods")
  static let header = Option(
    "--header", "'NAME: VALUE'", help: "replaces the recorded header", aliases: ["-H"], isRepeatable: true)
  static let timeout = Option("--timeout", "SECONDS", help: "time for a whole response", default: "30")
}

extension Verb {
  static let verify = Verb(
    name: "verify", group: .cassettes, summary: "send recorded requests to the live API and report drift",
    synopsis: "CASSETTE [--upstream URL] [options]",
    options: [
      .upstream, .header, .unsafeMethods, .jobs, .timeout, .json, .report, .reportJUnit, .reportGitHub,
      .caCertificate,
      .insecure, .clientCertificate, .clientKey, .upstreamProxy, .resolve, .connectTimeout,
    ] + Option.store,
    examples: [
      "tapedeck verify example",
      "tapedeck verify example --upstream https://staging.example.com -H 'Authorization: Bearer …'",
      "tapedeck verify example --report-junit drift.xml",
    ],
    notes: """
      Sends the recorded requests (without --upstream, each to its recorded origin) and compares the shape of the responses,
      not their values: status, content type, header names, and the fields and types of JSON bodies. Drift is breaking,
      notable or info; breaking drift exits with 4. By default, only GET, HEAD and OPTIONS are sent. A WebSocket is opened
      again, and the messages of its server compared by kind. Secrets are
      redacted in recordings: give credentials with --header, which needs --upstream and goes only there. If --upstream
      is one of several recorded origins, the requests to the others go to those.
      """
  ) { arguments in
    let name = try arguments.words("cassette", required: 1)[0]
    // Wrong use is reported before anything is read.
    if arguments.has(.reportGitHub) { try GitHubReport.checkSummary() }
    let given = try fields(arguments)
    let jobs = try arguments.number(.jobs, in: 1...256)
    let timeout = try arguments.milliseconds(.timeout)
    let cassette = try CassettePath.load(name)
    let origins = try VerifiedOrigins(cassette, upstream: arguments[.upstream])
    try tell(origins, hasFields: !given.isEmpty, hasCertificate: arguments.has(.clientCertificate))
    if arguments.has(.insecure) { Terminal.say(ServeSettings.insecureWarning) }
    let sendsUnsafe = arguments.has(.unsafeMethods)
    let requests = try DriftRequest.all(of: cassette, sendsUnsafeMethods: sendsUnsafe) {
      origins.isNamed($0) ? given : HTTPFields()
    }
    var configuration = ProxyConfiguration()
    try ServeSettings.readConnecting(arguments, into: &configuration)
    if let warning = configuration.trustInheritedAuthorities(Terminal.environment) { Terminal.say(warning) }
    configuration.mode = .passthrough
    var batches: [String: UpstreamBatch] = [:]
    for origin in origins.all {
      let configuration = origins.configuration(for: origin, configuration)
      try UsageError.from { try configuration.validate() }
      var batch = try UpstreamBatch(configuration)
      // Unsafe requests change the responses to those after them.
      batch.jobs = jobs ?? (sendsUnsafe ? 1 : 4)
      if let timeout { batch.timeoutMilliseconds = timeout }
      batches[origin] = batch
    }
    // A signal ends the verification, not the process: the results so far are reported.
    Signals.block()
    let report = DriftReport(
      cassette: CassettePath.shown(cassette.path), origins: origins.all,
      findings: try findings(requests, batches, origins, inOrder: sendsUnsafe))
    if let file = arguments[.report] { try OutputFile.write(report.json.bytes(.pretty), to: file) }
    if let file = arguments[.reportJUnit] { try OutputFile.write(Array(report.junit.text.utf8), to: file) }
    if arguments.has(.reportGitHub) { try GitHubReport(report).publish() }
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

  /// Says where credentials of the command line are not sent.
  private static func tell(
    _ origins: VerifiedOrigins, hasFields: Bool, hasCertificate: Bool
  ) throws(UsageError) {
    guard !origins.unnamed.isEmpty else { return }
    let unnamed = origins.unnamed.firstThree
    let advice = "which only the cassette names; give --upstream \(origins.unnamed[0])"
    if hasFields { Terminal.say("warning: --header is not sent to \(unnamed), \(advice)") }
    if hasCertificate, origins.named == nil {
      throw UsageError("--client-cert is not shown to \(unnamed), \(advice)")
    }
  }

  private typealias Sent = (index: Int, request: HTTPRequest, webSocket: RecordedWebSocket?)

  private static func findings(
    _ requests: [DriftRequest], _ batches: [String: UpstreamBatch], _ origins: VerifiedOrigins, inOrder: Bool
  ) throws -> [DriftFinding] {
    let sent = requests.enumerated().compactMap { index, recorded -> Sent? in
      guard case .send(let request, let said) = recorded.plan else { return nil }
      return (index, request, said)
    }
    let progress = Progress("verifying", total: sent.count)
    defer { progress.finish() }
    var byRequest: [Int: UpstreamBatch.Result] = [:]
    let recorded = sent.indices.map {
      (index: $0, interaction: requests[sent[$0].index].interactions[0].interaction)
    }
    for (origin, indices) in origins.groups(recorded, inOrder: inOrder) {
      let group = indices.map { sent[$0] }
      var webSockets: [Int: RecordedWebSocket] = [:]
      for (index, each) in group.enumerated() { webSockets[index] = each.webSocket }
      let results = try batches[origin]?.results(
        for: group.map(\.request), saying: webSockets, until: { Signals.isEndPending }
      ) { index in
        progress.advance(by: 1, "\(group[index].request.method) \(group[index].request.targetText)")
      }
      for (each, result) in zip(group, results ?? []) { byRequest[each.index] = result }
    }
    progress.finish()
    if byRequest.count < sent.count {
      Terminal.say("interrupted: \(sent.count - byRequest.count) of \(sent.count) requests have no result")
    }
    return requests.enumerated().map { index, request in
      let interaction = request.interactions[0].interaction
      let unnamed = origins.isNamed(interaction) ? nil : origins.origin(of: interaction)
      return DriftFinding(request, byRequest[index], unnamedUpstream: unnamed)
    }
  }
}
