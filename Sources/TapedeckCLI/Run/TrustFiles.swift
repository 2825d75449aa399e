internal import Glibc
internal import TapedeckSockets

/// Files for a command that is to trust the authority of a run: in a folder that only this user can enter, and that is
/// removed at the end.
final class TrustFiles {
  static let javaPassword = "changeit"
  /// Variables that name a bundle of all authorities to trust.
  static let bundleVariables = [
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO", "PIP_CERT", "HTTPLIB2_CA_CERTS", "NIX_SSL_CERT_FILE",
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
  ]
  /// Where systems keep the bundle: Debian, Fedora, Alpine.
  static let systemBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
  ]

  private let folder: String
  /// The run's authority alone, for what adds it to a store of its own.
  var authority: String { "\(folder)/authority.pem" }
  var bundle: String { "\(folder)/authorities.pem" }
  var nodePreload: String { "\(folder)/node-preload.cjs" }
  var javaTrustStore: String { "\(folder)/authorities.jks" }

  /// - Parameters:
  ///   - authority: the certificate of the run's authority, as PEM.
  ///   - inherited: an environment variable of this process.
  init(authority: String, inherited: (String) -> String?) throws {
    var template = Array("\(Self.temporaryFolder(inherited))/tapedeck-run-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(errno: "cannot make a folder for the run's authority")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let known = Self.inheritedBundles(inherited)
    let all = known + [Array(authority.utf8)]
    try write(Array(authority.utf8), to: self.authority)
    try write(Array(all.joined(separator: [UInt8(ascii: "\n")])), to: bundle)
    try write(PackageResources.node_preload_cjs, to: nodePreload)
    try write(JavaTrustStore.bytes(pem: all, password: Self.javaPassword), to: javaTrustStore)
  }

  deinit { remove() }

  func remove() {
    for file in [authority, bundle, nodePreload, javaTrustStore] + added { unlink(file) }
    rmdir(folder)
  }

  private func write(_ bytes: [UInt8], to path: String, permissions: mode_t = 0o600) throws(Failure) {
    try OutputFile.write(bytes, to: path, permissions: permissions)
  }

  private var added: [String] = []

  /// Keeps a file beside the others, which every user may read who is shown it.
  /// - Returns: its path.
  func add(_ bytes: [UInt8], as name: String) throws(Failure) -> String {
    let path = "\(folder)/\(name)"
    try write(bytes, to: path, permissions: 0o644)
    added.append(path)
    return path
  }

  /// `NODE_OPTIONS` and `JAVA_TOOL_OPTIONS` are split at blanks.
  private static func temporaryFolder(_ inherited: (String) -> String?) -> String {
    let folder = inherited("TMPDIR") ?? ""
    let isPlain = !folder.contains { $0.isWhitespace || "\"'\\".contains($0) }
    return folder.hasPrefix("/") && isPlain ? folder : "/tmp"
  }

  static func isReadable(_ file: String) -> Bool { access(file, R_OK) == 0 }

  /// What the system trusts, and what the user's own variables name.
  static func inheritedBundles(_ inherited: (String) -> String?) -> [[UInt8]] {
    let system = systemBundles.first(where: isReadable)
    var seen: Set<String> = []
    let own = (bundleVariables + ["NODE_EXTRA_CA_CERTS"]).compactMap { inherited($0) }
    return ([system].compactMap(\.self) + own).filter { seen.insert($0).inserted }.compactMap {
      try? [UInt8](contentsOf: $0)
    }
  }
}
