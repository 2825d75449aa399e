internal import TapedeckHTTP

/// Where the credentials for a store come from.
package enum CredentialSource: Sendable, Equatable {
  case keys(StoreCredentials)
  /// To be exchanged for keys by AssumeRoleWithWebIdentity of STS.
  case webIdentity(role: String, tokenFile: String, sessionName: String)
  /// To be asked for at a URL of this machine or network, with a field `Authorization` whose value is in the
  /// environment or in a file.
  case container(url: String, authorization: ContainerAuthorization?)
}

/// What a container shows to get its credentials. Never printed.
package enum ContainerAuthorization: Sendable, Equatable {
  case file(String)
  case token(String)
}

extension ContainerAuthorization: CustomStringConvertible, CustomReflectable {
  package var description: String { "authorization" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the environment and the profile files say about a store, as the tools of AWS read them.
///
/// Sans I/O: the caller looks up variables and reads files. Keys in the environment win over a web identity there, that
/// over the profile, and that over the container. Single sign-on, external processes, roles assumed by other profiles
/// and the metadata service of EC2 are not read.
///
/// Source: AWS SDKs and Tools Reference Guide, "Standardized credential providers".
package struct StoreEnvironment: Sendable {
  private typealias Section = [String: String]
  private static let containerHosts = [
    "127.0.0.1", "localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
  ]

  /// `nil` where a variable is absent or empty.
  private let variable: @Sendable (String) -> String?
  private let profile: String
  /// The profile of the file of credentials, which may be all that there is of it.
  private let credentials: Section?
  private let configuration: Section?

  /// - Parameters:
  ///   - variable: a variable of the environment; `nil` if it is absent.
  ///   - file: the bytes of a file; `nil` if it cannot be read.
  /// - Throws: `profileAbsent` if `AWS_PROFILE` names a profile that no file has.
  package init(
    variable: @escaping @Sendable (String) -> String?, file: (String) -> [UInt8]?
  ) throws(StoreEnvironmentError) {
    let value: @Sendable (String) -> String? = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    self.variable = value
    let home = value("HOME") ?? ""
    let named = value("AWS_PROFILE")
    profile = named ?? "default"
    func sections(_ name: String, _ standard: String) -> [String: Section] {
      file(value(name) ?? "\(home)/.aws/\(standard)").map(Self.sections) ?? [:]
    }
    let configurations = sections("AWS_CONFIG_FILE", "config")
    credentials = sections("AWS_SHARED_CREDENTIALS_FILE", "credentials")[profile]
    configuration =
      configurations["profile \(profile)"] ?? (named == nil ? configurations["default"] : nil)
      ?? (profile == "default" ? configurations["default"] : nil)
    if let named, credentials == nil, configuration == nil { throw .profileAbsent(named) }
    guard Self.isPlain(region) else { throw .malformedRegion }
  }

  /// Whether a text is of visible ASCII characters alone.
  static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > ASCII.space && $0 < 0x7F } }

  package var region: String {
    variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? configuration?["region"] ?? "us-east-1"
  }

  /// The URL of another store than AWS's own; `nil` for that.
  package var endpoint: String? {
    variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") ?? configuration?["endpoint_url"]
  }

  /// A PEM file of certificate authorities to trust instead of the system's.
  package var authorities: String? { variable("AWS_CA_BUNDLE") ?? configuration?["ca_bundle"] }

  /// The URL of the service that gives temporary credentials.
  var tokenEndpoint: String {
    variable("AWS_ENDPOINT_URL_STS") ?? variable("AWS_ENDPOINT_URL")
      ?? "https://sts.\(region).\(StoreEndpoint.domain(of: region))"
  }

  package func source() throws(StoreEnvironmentError) -> CredentialSource {
    let environment = [
      "aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY",
      "aws_session_token": "AWS_SESSION_TOKEN",
    ].compactMapValues(variable)
    if let keys = try Self.keys(environment, in: "the environment") { return .keys(keys) }
    let identity = [
      "role_arn": "AWS_ROLE_ARN", "web_identity_token_file": "AWS_WEB_IDENTITY_TOKEN_FILE",
      "role_session_name": "AWS_ROLE_SESSION_NAME",
    ].compactMapValues(variable)
    if let found = Self.webIdentity(identity) ?? configuration.flatMap(Self.webIdentity) { return found }
    for section in [credentials, configuration].compactMap(\.self) {
      if let keys = try Self.keys(section, in: "the profile \(profile)") { return .keys(keys) }
    }
    if let container = try container() { return container }
    throw .noCredentials
  }

  private static func keys(
    _ section: Section, in place: String
  ) throws(StoreEnvironmentError) -> StoreCredentials? {
    switch (section["aws_access_key_id"], section["aws_secret_access_key"]) {
    case (let keyID?, let secret?):
      return StoreCredentials(keyID: keyID, secret: secret, sessionToken: section["aws_session_token"])
    case (nil, nil): return nil
    case (nil, _): throw .halfOfKey(place: place, absent: "access key id")
    case (_, nil): throw .halfOfKey(place: place, absent: "secret access key")
    }
  }

  private static func webIdentity(_ section: Section) -> CredentialSource? {
    guard let role = section["role_arn"], let file = section["web_identity_token_file"] else { return nil }
    return .webIdentity(role: role, tokenFile: file, sessionName: section["role_session_name"] ?? "tapedeck")
  }

  private func container() throws(StoreEnvironmentError) -> CredentialSource? {
    let authorization =
      variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map { ContainerAuthorization.file($0) }
      ?? variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").map { .token($0) }
    if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
      let slash = path.hasPrefix("/") ? "" : "/"
      return .container(url: "http://169.254.170.2\(slash)\(path)", authorization: authorization)
    }
    guard let url = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
    guard Self.mayGiveCredentials(url) else { throw .prohibitedContainer }
    return .container(url: url, authorization: authorization)
  }

  /// Without TLS, only this machine and the addresses of ECS and EKS are asked.
  private static func mayGiveCredentials(_ url: String) -> Bool {
    if url.hasPrefix("https://") { return true }
    guard url.hasPrefix("http://") else { return false }
    let authority = url.dropFirst("http://".count).prefix { !"/?#".contains($0) }
    let end = authority.firstIndex(of: "]").map { authority.index(after: $0) }
    let host = end.map { authority[..<$0] } ?? authority.prefix { $0 != ":" }
    let port = authority[host.endIndex...]
    let isPort = port.isEmpty || port.first == ":" && port.dropFirst().utf8.allSatisfy(ASCII.isDigit)
    return isPort && containerHosts.contains(host.lowercased())
  }

  /// The sections of a profile file. Settings below a setting, which are indented, are left out.
  private static func sections(_ bytes: [UInt8]) -> [String: Section] {
    var sections: [String: Section] = [:]
    var current: String?
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard let first = line.first, first != "#", first != ";", !first.isWhitespace else { continue }
      if first == "[" {
        let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
        let name = words.joined(separator: " ")
        sections[name, default: [:]] = sections[name] ?? [:]
        current = name
      } else if let current, let equals = line.firstIndex(of: "=") {
        let value = trimmed(line[equals...].dropFirst())
        if !value.isEmpty { sections[current]?[trimmed(line[..<equals]).lowercased()] = value }
      }
    }
    return sections
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// Why the environment gives no credentials. Holds none of them.
package enum StoreEnvironmentError: Error, Equatable, CustomStringConvertible {
  case profileAbsent(String)
  case halfOfKey(place: String, absent: String)
  case prohibitedContainer
  case noCredentials
  case malformedRegion

  package var description: String {
    switch self {
    case .profileAbsent(let name): "AWS_PROFILE names the profile \(name), and no profile file has it"
    case .halfOfKey(let place, let absent): "\(place) holds half of a key: the \(absent) is missing"
    case .prohibitedContainer:
      "AWS_CONTAINER_CREDENTIALS_FULL_URI is not https, and names neither this machine nor the address of ECS or EKS"
    case .malformedRegion: "AWS_REGION is no name of a region, like eu-west-1"
    case .noCredentials:
      "there are no credentials for the object store; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    }
  }
}
