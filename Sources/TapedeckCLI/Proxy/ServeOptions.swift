internal import TapedeckProxy
internal import TapedeckRecording

/// The options of the verbs that start a proxy.
extension Option {
  static let upstream = Option("--upstream", "URL", help: "the origin, http or https; may have a path prefix")
  static let upstreams = Option(
    "--upstream", "URL",
    help: "the origin; several as /PREFIX=URL or HOST=URL, by path or by the Host asked for",
    isRepeatable: true)
  static let forward = Option(
    "--forward", help: "serve clients that use this as their http_proxy, for any host (with CONNECT)")
  static let allowHosts = Option(
    "--allow-hosts", "GLOB", help: "with --forward: read and record only the traffic with these hosts",
    isRepeatable: true)
  static let ignoreHosts = Option(
    "--ignore-hosts", "GLOB", help: "with --forward: let the traffic with these hosts pass unread",
    isRepeatable: true)
  static let proxyAuth = Option(
    "--proxy-auth", "USER:PASSWORD", help: "with --forward: what clients must authenticate themselves with")
  static let cassette = Option(
    "--cassette", "NAME",
    help: "a bare name is Cassettes/NAME, anything with a slash is a path; or s3://BUCKET/PREFIX",
    aliases: ["--tapes-dir", "--recording-dir"])
  static let listen = Option(
    "--listen", "HOST:PORT", help: "where to listen; unix:PATH for a unix socket",
    default: "127.0.0.1:8080; run takes a free port")
  static let port = Option("--port", "N", help: "short for --listen 127.0.0.1:N; 0 picks a free port")
  static let readyFile = Option(
    "--ready-file", "PATH", help: "write the base URL there once connections are accepted")
  static let tlsCertificate = Option(
    "--tls-cert", "FILE", help: "PEM file of a certificate with its chain; also serve https on the same port")
  static let tlsKey = Option(
    "--tls-key", "FILE", help: "PEM file of its private key, if it is not in the same file")
  static let tls = Option(
    "--tls", help: "also serve https, with certificates by the authority that 'tapedeck ca create' stored")
  static let mode = Option(
    "--mode", "MODE", help: "none, once, new_episodes, all or passthrough",
    choices: RecordMode.allCases.map(\.rawValue))
  static let overrides = Option(
    "--overrides", "FILE", help: "JSON file of rules that come before the cassette; reloaded when it changes")
  static let match = Option(
    "--match", "SPEC",
    help: "the parts of a request that are compared; see above", isRepeatable: true,
    choices: ["method,path,query,body", "headers:", "query:ignore=", "body:ignore="],
    default: "method,path,query,body")
  static let onExhausted = Option(
    "--on-exhausted", "WHAT", help: "after the last recorded response: repeat, miss or loop",
    choices: ExhaustionPolicy.allCases.map(\.rawValue), default: "repeat")
  static let pace = Option(
    "--pace", "PACE", help: "speed of replay: instant, recorded, or a factor like 10x",
    choices: ["instant", "recorded", "10x"], default: "instant")
  static let onCut = Option(
    "--on-cut", "WHAT",
    help: "where the client left a recorded stream: open keeps it open, close ends it",
    choices: CutPolicy.allCases.map(\.rawValue), default: "open")
  static let explain = Option(
    "--explain", help: "add a Tapedeck-Answer header to each response, with its source and file")
  static let report = Option("--report", "FILE", help: "write a JSON report at the end of the run")
  static let reportJUnit = Option(
    "--report-junit", "FILE", help: "write the report as JUnit XML, for CI servers")
  static let reportGitHub = Option(
    "--report-github", help: "annotate the files concerned in GitHub Actions, and add to the step's summary")
  static let failOn = Option(
    "--fail-on", "WHAT",
    help: "exit with 4 on any of unused, drift, unmatched, repeat, secrets (comma-separated)",
    isRepeatable: true, choices: RunRule.allCases.map(\.rawValue))
  static let strict = Option(
    "--strict",
    help: "fail unless the run is exactly what was recorded: --fail-on drift,repeat,unused,secrets")
  static let missStatus = Option(
    "--miss-status", "N", help: "status of the response to an unmatched request", default: "502")
  static let caCertificate = Option(
    "--cacert", "FILE", help: "PEM file of certificate authorities to trust for https origins")
  static let insecure = Option("--insecure", help: "do not verify the origin's certificate")
  static let preserveHost = Option("--preserve-host", help: "send the client's Host to the origin")
  static let passEncodings = Option(
    "--pass-encodings", help: "send the client's Accept-Encoding instead of identity")
  static let clientCertificate = Option(
    "--client-cert", "FILE", help: "PEM file of the certificate that the origin asks of its clients")
  static let clientKey = Option(
    "--client-key", "FILE", help: "PEM file of its private key, if it is not in the same file")
  static let upstreamHeader = Option(
    "--upstream-header", "FIELD",
    help: "send this to the origin, as 'Authorization: Bearer ${TOKEN}'; never recorded",
    isRepeatable: true)
  static let upstreamProxy = Option(
    "--upstream-proxy", "URL",
    help: "reach the origin through this proxy (http, https or socks5h); env: the one in the environment")
  static let resolve = Option(
    "--resolve", "HOST:PORT:ADDRESS", help: "connect to this address for the origin's name",
    isRepeatable: true)
  static let rewriteFields = Option(
    "--rewrite-fields", "NAME",
    help: "also rewrite these fields, as Location is (comma-separated); stored in the cassette",
    isRepeatable: true)
  static let rewriteBodies = Option(
    "--rewrite-bodies",
    help: "rewrite the origin's URL in text bodies to the proxy's; stored in the cassette")
  static let noRewriteBodies = Option(
    "--no-rewrite-bodies", help: "do not rewrite bodies, even if the cassette says so")
  static let noRewrite = Option(
    "--no-rewrite", help: "leave the origin's URL everywhere as it is; stored in the cassette")
  static let rewrite = Option(
    "--rewrite", help: "rewrite even if the cassette was recorded with --no-rewrite")
  static let threads = Option("--threads", "N", help: "number of event loops", default: "one per core")
  static let maxBody = Option(
    "--max-body", "MIB", help: "largest request body accepted, in MiB",
    default: "128")
  static let maxConnections = Option(
    "--max-connections", "N",
    help: "simultaneous client connections; others get 503", default: "16384, or what ulimit -n allows")
  static let headTimeout = Option(
    "--head-timeout", "SECONDS", help: "time for a whole request header section to arrive", default: "15")
  static let bodyTimeout = Option(
    "--body-timeout", "SECONDS", help: "time between two reads of a request body", default: "30")
  static let idleTimeout = Option(
    "--idle-timeout", "SECONDS", help: "time a connection may stay open without a request", default: "60")
  static let writeTimeout = Option(
    "--write-timeout", "SECONDS", help: "time a client may read nothing of its response", default: "60")
  static let connectTimeout = Option(
    "--connect-timeout", "SECONDS", help: "time to connect to the origin", default: "10")
  static let firstByteTimeout = Option(
    "--first-byte-timeout", "SECONDS", help: "time until the origin's response begins", default: "60")
  static let readTimeout = Option(
    "--read-timeout", "SECONDS", help: "time between two reads of a response body", default: "60")
  static let maxUpstreamConnections = Option(
    "--max-upstream-connections", "N", help: "simultaneous connections to the origin per thread",
    default: "512")
  static let maxRecordBody = Option(
    "--max-record-body", "MIB",
    help: "largest response body recorded, in MiB; larger ones are passed through", default: "1024")
  static let durability = Option(
    "--durability", "process|power",
    help: "what an exchange survives before it is sealed: the end of the process or of power",
    default: "process")
  static let redact = Option(
    "--redact", "PATTERN",
    help: "redact this too: a name such as x-internal-*, or text:GLOB for words", isRepeatable: true)
  static let keep = Option(
    "--keep", "NAME", help: "do not redact values with this name or of this kind", isRepeatable: true)
  static let noRedact = Option("--no-redact", help: "record secrets unredacted")
  static let quiet = Option("--quiet", help: "no live log", aliases: ["-q"])
  static let verbose = Option(
    "--verbose", help: "below each line of the live log, what each rule and the cassette decided, and why",
    aliases: ["-v"])
  static let configAsJSON = Option("--json", help: "with --print-config: print JSON")
  static let logFormat = Option("--log-format", "text|json", help: "format of the live log")

  static let serving: [Option] =
    [
      .match, .strict, .failOn, .report, .reportJUnit, .reportGitHub, .explain, .listen, .port, .tls,
      .tlsCertificate,
      .tlsKey,
      .readyFile, .overrides,
      .missStatus, .rewriteFields, .rewriteBodies, .noRewriteBodies, .noRewrite, .rewrite, .maxBody,
      .maxConnections, .headTimeout, .bodyTimeout, .idleTimeout, .writeTimeout, .threads, .quiet, .logFormat,
      .verbose, .configAsJSON,
    ] + store + steering
  static let origin: [Option] = [
    .upstreams, .forward, .allowHosts, .ignoreHosts, .proxyAuth, .caCertificate, .insecure,
    .clientCertificate, .clientKey, .upstreamHeader, .preserveHost, .passEncodings,
    .upstreamProxy, .resolve, .durability, .redact, .keep, .noRedact, .connectTimeout, .firstByteTimeout,
    .readTimeout, .maxUpstreamConnections,
    .maxRecordBody,
  ]

  // MARK: Steering and sessions

  static let adminPort = Option(
    "--admin-port", "N", help: "serve the admin API on 127.0.0.1:N; 0 picks a free port")
  static let adminListen = Option(
    "--admin-listen", "HOST:PORT",
    help: "serve the admin API there; over TLS unless only this machine can reach it")
  static let adminPlaintext = Option(
    "--admin-plaintext", help: "with --admin-listen: serve it without TLS; whoever listens in reads the token"
  )
  static let healthPath = Option(
    "--health-path", "PATH",
    help: "respond to health probes at this path, which are not recorded or counted")
  static let adminToken = Option(
    "--admin-token", "TOKEN",
    help: "its token", default: "a random one, in a file that only you can read")
  static let adminTokenFile = Option(
    "--admin-token-file", "PATH", help: "file for the admin token, which tapedeck ctl reads")
  static let adminReadyFile = Option(
    "--admin-ready-file", "PATH", help: "write the admin API's URL there once it listens")
  static let ui = Option(
    "--ui",
    help: "open the inspector page in the browser, on a free port if need be; =print only prints its URL",
    optionalValue: "print")
  static let sessionHeader = Option(
    "--session-header", "NAME", help: "the header that names a request's session")
  static let sessionPath = Option(
    "--session-path", "PREFIX",
    help: "the path before a session's name: /session makes /session/NAME/users a request for /users")
  static let sessionUser = Option(
    "--session-user", help: "the user of Proxy-Authorization names a request's session")
  static let sessionIdle = Option(
    "--session-idle", "SECONDS", help: "time until a session without requests is dropped", default: "600")
  static let maxSessions = Option("--max-sessions", "N", help: "simultaneous sessions", default: "10000")
  static let journal = Option(
    "--journal", "MIB", help: "memory for the request log", default: "16 with an admin API, else 0")

  static let steering: [Option] = [
    .adminPort, .adminListen, .adminPlaintext, .adminToken, .adminTokenFile, .adminReadyFile, .ui,
    .sessionHeader,
    .sessionPath, .sessionUser,
    .sessionIdle, .maxSessions, .journal, .healthPath,
  ]
}
