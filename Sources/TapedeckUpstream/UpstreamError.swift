/// Why no upstream client could be made.
public enum UpstreamError: Error, Equatable, Sendable {
  case libcurlFailed(reason: String)
  case certificatesUnreadable(path: String, reason: String)
}

extension UpstreamError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .libcurlFailed(let reason):
      "libcurl could not be started: \(reason); Debian and Ubuntu have it in the package libcurl4"
    case .certificatesUnreadable(let path, let reason):
      "the certificate file \(path) cannot be read: \(reason)"
    }
  }
}
