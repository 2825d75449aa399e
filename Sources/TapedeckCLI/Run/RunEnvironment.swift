internal import TapedeckHTTP

/// The variables by which a command finds the proxy, and trusts it.
struct RunEnvironment {
  /// `http://HOST:PORT` of the proxy.
  let baseURL: String
  /// Whether the command is to use it for every host.
  let isForward: Bool
  /// `USER:PASSWORD` that the proxy asks for.
  var credentials: String?
  /// Whether requests to this machine go through the proxy too.
  var includesLocalhost = false
  /// Whether the command runs in a network in which every address is the proxy, and needs none named.
  var isIsolated = false
  /// `nil` where HTTPS is not intercepted.
  var trust: TrustFiles?
  /// An environment variable of this process; `nil` where it is absent or empty.
  let inherited: (String) -> String?

  /// Servers that the command starts for itself are its own.
  private static let localHosts = ["localhost", "127.0.0.1", "::1"]

  private static let proxyNames = ["http_proxy", "https_proxy", "all_proxy"]
  /// What a command is not to have that needs no proxy.
  static let proxyVariables = Set(proxyNames + proxyNames.map { $0.uppercased() })

  var variables: [String: String] {
    var variables: [String: String] = [:]
    if isIsolated {
      addTrust(to: &variables)
      addJava(to: &variables, properties: [])
      return variables
    }
    if isForward {
      for name in Self.proxyNames { Self.set(name, proxyURL, in: &variables) }
      variables["TAPEDECK_PROXY"] = proxyURL
      variables["NODE_USE_ENV_PROXY"] = "1"
      addTrust(to: &variables)
      addNode(to: &variables)
      addJava(to: &variables, properties: javaProxy)
    } else {
      variables["TAPEDECK_URL"] = baseURL
    }
    addExceptions(to: &variables)
    return variables
  }

  private var authority: Substring { baseURL.split(separator: "/").last ?? "" }

  private var proxyURL: String {
    guard let credentials, let colon = credentials.firstIndex(of: ":") else { return baseURL }
    let user = Self.encoded(credentials[..<colon])
    let password = Self.encoded(credentials[colon...].dropFirst())
    return "http://\(user):\(password)@\(authority)"
  }

  private static func encoded(_ text: Substring) -> String {
    String(decoding: text.utf8.flatMap { ASCII.isWord($0) ? [$0] : PercentCoding.encoded($0) }, as: UTF8.self)
  }

  /// Programs differ in which spelling they read.
  private static func set(_ name: String, _ value: String, in variables: inout [String: String]) {
    variables[name] = value
    variables[name.uppercased()] = value
  }

  /// What must not go through the proxy; of a reverse proxy nothing changes where the environment names no other.
  private func addExceptions(to variables: inout [String: String]) {
    let names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    guard isForward || names.contains(where: { inherited($0) != nil }) else { return }
    let known = [ownExceptions].compactMap(\.self)
    let local = isForward && includesLocalhost ? [] : Self.localHosts
    Self.set("no_proxy", (known + local).joined(separator: ","), in: &variables)
  }

  private var ownExceptions: String? { inherited("no_proxy") ?? inherited("NO_PROXY") }

  private func addTrust(to variables: inout [String: String]) {
    guard let trust else { return }
    variables["TAPEDECK_CA"] = trust.authority
    for name in TrustFiles.bundleVariables { variables[name] = trust.bundle }
    // These add to what the program trusts already.
    for name in ["NODE_EXTRA_CA_CERTS", "DENO_CERT"] { variables[name] = trust.bundle }
  }

  private func addNode(to variables: inout [String: String]) {
    guard let trust else { return }
    variables["NODE_OPTIONS"] = appended("--require=\(trust.nodePreload)", to: "NODE_OPTIONS")
  }

  /// Java reads no proxy variables.
  private var javaProxy: [String] {
    let colon = authority.lastIndex(of: ":") ?? authority.endIndex
    let (host, port) = (authority[..<colon], authority[colon...].dropFirst())
    let options = ["http", "https"].flatMap { ["-D\($0).proxyHost=\(host)", "-D\($0).proxyPort=\(port)"] }
    // Without the option, Java goes straight to this machine.
    return options + ["-Dhttp.nonProxyHosts=\(javaExceptions)"]
  }

  private func addJava(to variables: inout [String: String], properties: [String]) {
    var options = properties
    if let trust {
      options.append("-Djavax.net.ssl.trustStore=\(trust.javaTrustStore)")
      options.append("-Djavax.net.ssl.trustStorePassword=\(TrustFiles.javaPassword)")
    }
    variables["JAVA_TOOL_OPTIONS"] = appended(options.joined(separator: " "), to: "JAVA_TOOL_OPTIONS")
  }

  private var javaExceptions: String {
    let own = (ownExceptions ?? "").split { $0 == "," || $0.isWhitespace }.flatMap(Self.javaPatterns)
    return (own + (includesLocalhost ? [] : ["localhost", "127.*", "[::1]"])).joined(separator: "|")
  }

  /// An entry of `NO_PROXY` stands for a name and what is below it. What Java cannot say, as a port, is left out.
  private static func javaPatterns(_ entry: Substring) -> [String] {
    if entry == "*" { return ["*"] }
    let name = entry.drop { $0 == "*" || $0 == "." }
    let isName = name.utf8.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    guard isName, !name.isEmpty else { return [] }
    return ["\(name)", "*.\(name)"]
  }

  private func appended(_ text: String, to name: String) -> String {
    inherited(name).map { "\($0) \(text)" } ?? text
  }
}
