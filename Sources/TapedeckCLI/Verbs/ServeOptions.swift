/// What the verbs that start a proxy take.
extension Option {
  static let upstream = Option(
    name: "--upstream", value: "URL", help: "the origin: http or https, a path prefix is allowed")
  static let cassette = Option(
    name: "--cassette", value: "NAME", help: "a bare name is Cassettes/NAME, anything with a slash is a path",
    aliases: ["--tapes-dir", "--recording-dir"])
  static let listen = Option(name: "--listen", value: "HOST:PORT", help: "where to listen (127.0.0.1:8080)")
  static let port = Option(
    name: "--port", value: "N", help: "short for --listen 127.0.0.1:N; 0 picks a free port")
  static let readyFile = Option(
    name: "--ready-file", value: "PATH", help: "write the base URL there once connections are accepted")
  static let mode = Option(
    name: "--mode", value: "MODE", help: "none, once, new_episodes, all or passthrough")
  static let overrides = Option(
    name: "--overrides", value: "FILE",
    help: "JSON file of rules that go before the cassette; read anew on save")
  static let match = Option(
    name: "--match", value: "SPEC",
    help: "what of a request is compared (method,path,query,body); see above", isRepeatable: true)
  static let onExhausted = Option(
    name: "--on-exhausted", value: "WHAT",
    help: "after the last recorded answer: repeat (default), miss or loop")
  static let pace = Option(
    name: "--pace", value: "PACE", help: "speed of recorded answers: instant (default), recorded, or like 10x"
  )
  static let onCut = Option(
    name: "--on-cut", value: "WHAT",
    help: "where the client left a recorded stream: open (default) keeps it open, close ends the body")
  static let explain = Option(
    name: "--explain",
    help: "say in a header of every answer, Tapedeck-Answer, who gave it and from which file")
  static let report = Option(
    name: "--report", value: "FILE", help: "write there at the end, as JSON, what the run came to")
  static let reportJUnit = Option(
    name: "--report-junit", value: "FILE", help: "the same as JUnit XML, for CI servers")
  static let failOn = Option(
    name: "--fail-on", value: "WHAT",
    help: "exit with 4 on any of unused, drift, unmatched, repeat, secrets (a list)", isRepeatable: true)
  static let strict = Option(
    name: "--strict",
    help: "the run must be what was recorded, without secrets: --fail-on drift,repeat,unused,secrets")
  static let missStatus = Option(name: "--miss-status", value: "N", help: "status of a refusal (502)")
  static let caCertificate = Option(
    name: "--cacert", value: "FILE", help: "PEM file of the authorities to trust for https origins")
  static let insecure = Option(name: "--insecure", help: "do not verify the origin's certificate")
  static let preserveHost = Option(name: "--preserve-host", help: "send the client's Host to the origin")
  static let passEncodings = Option(
    name: "--pass-encodings", help: "send the client's Accept-Encoding instead of identity")
  static let upstreamProxy = Option(
    name: "--upstream-proxy", value: "env",
    help: "reach the origin through the proxy that the environment names")
  static let rewriteFields = Option(
    name: "--rewrite-fields", value: "NAME",
    help: "make these fields name the proxy too, as Location does (a list); the cassette keeps it",
    isRepeatable: true)
  static let rewriteBodies = Option(
    name: "--rewrite-bodies",
    help: "make text bodies that name the origin name the proxy; the cassette keeps it")
  static let noRewriteBodies = Option(
    name: "--no-rewrite-bodies", help: "leave bodies as they are although the cassette says otherwise")
  static let noRewrite = Option(
    name: "--no-rewrite", help: "leave everything that names the origin as it is; the cassette keeps it")
  static let rewrite = Option(
    name: "--rewrite", help: "rewrite although the cassette was recorded with --no-rewrite")
  static let threads = Option(name: "--threads", value: "N", help: "event loops (one per core)")
  static let maxBody = Option(
    name: "--max-body", value: "MIB",
    help: "largest request body accepted, in MiB (128); it is held in memory")
  static let maxConnections = Option(
    name: "--max-connections", value: "N",
    help: "clients at once (16384, or what ulimit -n allows); more get 503")
  static let headTimeout = Option(
    name: "--head-timeout", value: "SECONDS", help: "for a request's header section to come, as a whole (15)")
  static let bodyTimeout = Option(
    name: "--body-timeout", value: "SECONDS", help: "between two pieces of a request's body (30)")
  static let idleTimeout = Option(
    name: "--idle-timeout", value: "SECONDS", help: "for a connection without a request (60)")
  static let writeTimeout = Option(
    name: "--write-timeout", value: "SECONDS", help: "for a client that reads nothing of its answer (60)")
  static let connectTimeout = Option(
    name: "--connect-timeout", value: "SECONDS", help: "longest wait for a connection to the origin (10)")
  static let firstByteTimeout = Option(
    name: "--first-byte-timeout", value: "SECONDS", help: "longest wait for the head of its answer (60)")
  static let readTimeout = Option(
    name: "--read-timeout", value: "SECONDS", help: "longest silence in an answer's body (60)")
  static let maxUpstreamConnections = Option(
    name: "--max-upstream-connections", value: "N", help: "connections to the origin at once, a thread (512)")
  static let maxRecordBody = Option(
    name: "--max-record-body", value: "MIB",
    help: "largest answer body recorded, in MiB (1024); larger ones pass unrecorded")
  static let durability = Option(
    name: "--durability", value: "process|power",
    help: "what a finished exchange survives before the cassette is sealed (process)")
  static let redact = Option(
    name: "--redact", value: "PATTERN",
    help: "hide this too: a name like x-internal-*, or text:GLOB for words", isRepeatable: true)
  static let keep = Option(
    name: "--keep", value: "NAME", help: "do not hide what this name or kind of secret stands for",
    isRepeatable: true)
  static let noRedact = Option(name: "--no-redact", help: "record secrets as they are")
  static let quiet = Option(name: "--quiet", help: "no live log")
  static let logFormat = Option(name: "--log-format", value: "text|json", help: "form of the live log")

  static let serving: [Option] =
    [
      .match, .strict, .failOn, .report, .reportJUnit, .explain, .listen, .port, .readyFile, .overrides,
      .missStatus, .rewriteFields, .rewriteBodies, .noRewriteBodies, .noRewrite, .rewrite, .maxBody,
      .maxConnections,
      .headTimeout, .bodyTimeout, .idleTimeout, .writeTimeout, .threads, .quiet, .logFormat,
    ] + steering
  static let asking: [Option] = [
    .upstream, .caCertificate, .insecure, .preserveHost, .passEncodings, .upstreamProxy, .durability,
    .redact, .keep, .noRedact, .connectTimeout, .firstByteTimeout, .readTimeout, .maxUpstreamConnections,
    .maxRecordBody,
  ]
}
