/// Why an upstream URL was refused; the payload is the part at fault, never a part that may hold a secret.
public enum UpstreamURLError: Error, Equatable, Sendable {
  case notHTTP(String)
  case userInformation
  case queryOrFragment
  case badHost(String)
  case badPort(String)
  case badPath(String)
}

extension UpstreamURLError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notHTTP(let url):
      "\(url.debugDescription) is not an http:// or https:// URL, like https://api.example.com"
    case .userInformation:
      "the upstream URL holds a user name or password; let the client send them as a header instead"
    case .queryOrFragment:
      "the upstream URL has a query or fragment; it may be scheme, host, port and path prefix only"
    case .badHost(let host): "\(host.debugDescription) is not a host name or address"
    case .badPort(let port): "\(port.debugDescription) is not a port between 1 and 65535"
    case .badPath(let path):
      "the path prefix \(path.debugDescription) holds a character that a URL cannot hold"
    }
  }
}
