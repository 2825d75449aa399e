internal import Glibc
internal import TapedeckProxy
internal import TapedeckSockets

extension Option {
  static let isolate = Option(
    "--isolate",
    help: "run the command where nothing but this proxy can be reached; =try does without where it cannot be",
    optionalValue: "try")
  static let isolatePorts = Option(
    "--isolate-ports", "N,N",
    help: "with --isolate: serve these ports too, besides 80, 443 and those of the cassette",
    isRepeatable: true)

  static let share = Option(
    "--share", "[HOST:]PORT",
    help: "with --isolate: let this through unread; without HOST, a port of this machine",
    isRepeatable: true)

  static let isolation: [Option] = [.isolate, .isolatePorts, .share]
}

/// A run whose command has namespaces of its own, in which nothing but the proxy can be reached.
struct IsolatedRun {
  /// Whether the command runs with proxy variables where it cannot be isolated.
  private let isOptional: Bool
  private let ports: [UInt16]
  /// The ports of this machine among what `--share` names.
  private let shares: [UInt16]
  /// All that `--share` names, as `HOST:PORT`.
  private let sharedOrigins: [String]

  /// `nil` without `--isolate`.
  init?(_ arguments: Arguments, _ proxy: inout ProxyConfiguration) throws(UsageError) {
    guard arguments.has(.isolate) else {
      for option in [Option.isolatePorts, .share] where arguments.isGiven(option) {
        throw UsageError("\(option.name) needs --isolate")
      }
      return nil
    }
    // There is no base URL inside, and no request that could carry credentials for a proxy.
    for option in [Option.upstreams, .environment, .proxyAuth, .proxyLocalhost, .sessionUser]
    where arguments.has(option) {
      throw UsageError("--isolate and \(option.name) exclude each other")
    }
    guard proxy.forward != nil else {
      throw UsageError(
        "--isolate serves any host, and the cassette is of one origin; record another with run --isolate")
    }
    isOptional = arguments[.isolate] == Option.isolate.optionalValue
    ports = try Self.ports(arguments)
    let shared = try arguments.all(.share).map { text throws(UsageError) in try Self.share(text) }
    shares = Array(Set(shared.filter { $0.host == nil }.map(\.port))).sorted()
    guard shares.count <= IsolatedProcess.maximumShares else {
      throw UsageError("--share takes \(IsolatedProcess.maximumShares) ports of this machine at most")
    }
    sharedOrigins = shared.map { "\($0.host ?? "127.0.0.1"):\($0.port)" }
    proxy.forward?.sharedOrigins = sharedOrigins
  }

  private static func share(_ text: String) throws(UsageError) -> (host: String?, port: UInt16) {
    if let port = UInt16(text), port > 0 { return (nil, port) }
    guard let address = SocketAddress(text), address.path == nil, address.port > 0 else {
      throw UsageError("--share takes PORT or HOST:PORT, not \(text.debugDescription)")
    }
    let host = address.host.lowercased()
    guard !address.isLoopback else { return (nil, address.port) }
    return (host.contains(":") ? "[\(host)]" : host, address.port)
  }

  private static func ports(_ arguments: Arguments) throws(UsageError) -> [UInt16] {
    var ports: [UInt16] = [80, 443]
    for word in arguments.all(.isolatePorts).flatMap({ $0.split(separator: ",") }) {
      guard let port = UInt16(word), port > 0, port != 53 else {
        throw UsageError("--isolate-ports takes ports from 1 to 65535 but 53, not \(word.debugDescription)")
      }
      if !ports.contains(port) { ports.append(port) }
    }
    guard ports.count <= IsolatedProcess.maximumPorts else {
      throw UsageError("--isolate-ports takes \(IsolatedProcess.maximumPorts - 2) ports at most")
    }
    return ports
  }

  /// A command that was started in namespaces, or the reason why it could not be.
  struct Start {
    /// `nil` where it could not be isolated, and is still to be started.
    let command: ChildProcess?
    let network: IsolatedNetwork?
    fileprivate let refusal: String?
    /// The ports that are served where not all are.
    fileprivate let ports: [UInt16]
    fileprivate let shares: [String]
  }

  /// Starts the command.
  /// - Parameter recordedPorts: served as those of `--isolate-ports` are.
  func start(
    _ command: [String], _ environment: RunEnvironment, recordedPorts: Set<UInt16>
  ) throws -> Start {
    var environment = environment
    environment.isIsolated = true
    let variables = ChildProcess.environment(
      with: environment.variables, without: RunEnvironment.proxyVariables)
    let files = try IsolatedFiles(environment.trust)
    let ports = ports + recordedPorts.subtracting(ports + [53]).sorted()
    let served = Array(ports.prefix(IsolatedProcess.maximumPorts))
    do throws(IsolationError) {
      let process = try ChildProcess.withOriginalLimit { () throws(IsolationError) in
        try IsolatedProcess.start(
          command, environment: variables, mounts: files.mounts, ports: served, shares: shares)
      }
      Terminal.say(
        "isolated: the command reaches nothing but this proxy\(IsolationReport.also(sharedOrigins))")
      if !process.network.hasAllPorts { Self.tellPorts(served, of: ports) }
      return Start(
        command: ChildProcess(pid: process.pid), network: process.network, refusal: nil, ports: served,
        shares: sharedOrigins)
    } catch {
      if error.step == .command { throw ChildProcess.failure(command[0], error.code) }
      guard isOptional else {
        throw Failure("cannot isolate the command: \(error); --isolate=try goes on with proxy variables")
      }
      Terminal.say("not isolated, going on with proxy variables: \(error)")
      return Start(command: nil, network: nil, refusal: "\(error)", ports: [], shares: [])
    }
  }

  /// Says what cannot be reached in a network in which the kernel does not lead all ports to us.
  private static func tellPorts(_ served: [UInt16], of ports: [UInt16]) {
    Terminal.say(
      "warning: the kernel has no rules of nf_tables for a namespace; of its ports these are served, and "
        + "--isolate-ports adds others: \(IsolationReport.list(served.map { "\($0)" }))")
    let unserved = ports.dropFirst(served.count)
    guard !unserved.isEmpty else { return }
    let list = IsolationReport.list(unserved.map { "\($0)" })
    Terminal.say("warning: too many ports were recorded; these are not served: \(list)")
  }

  // MARK: What the command reached for

  /// The usual reasons why no request of an isolated command is served.
  static let silence = [
    "no request of the command was served; usually because it",
    "  - does not trust the run's authority: then a line above says so",
    "  - asks this machine only, which is its own when isolated",
    "  - has its responses in a cache, or asks nobody",
  ]

  /// What the summary says of processes that outlive the command.
  static func lines(ofLeft processes: [String]) -> [String] {
    guard !processes.isEmpty else { return [] }
    return ["isolated: these still run, and reach nothing from now on: \(IsolationReport.list(processes))"]
  }
}

extension IsolatedRun.Start {
  /// What the command reached for until now.
  var report: IsolationReport {
    guard let network else { return IsolationReport(refusal: refusal) }
    let reached = network.reachedOrigins.map { one in
      IsolationReport.Reach(
        origin: one.authority, connections: one.connections,
        server: shares.contains(one.authority) ? .shared : one.isForeign ? .nobody : .proxy)
    }
    return IsolationReport(
      shares: shares, ports: network.hasAllPorts ? nil : ports.map { Int($0) }, reached: reached,
      unlistedConnections: network.unlistedConnections, unreachedNames: network.unreachedNames)
  }
}
