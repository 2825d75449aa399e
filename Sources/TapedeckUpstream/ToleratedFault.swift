/// A fault in the framing of a response that is common among origins, has one meaning only, and is put right before the
/// client gets the response. In requests none is tolerated.
public enum ToleratedFault: Hashable, Sendable {
  case blankAfterChunkSize
  case chunkedInHTTP10
  case repeatedContentLength
}

extension ToleratedFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .blankAfterChunkSize: "a blank after a chunk size (RFC 9112 §7.1)"
    case .chunkedInHTTP10: "Transfer-Encoding in an HTTP/1.0 response (RFC 9112 §6.1)"
    case .repeatedContentLength: "Content-Length more than once, with equal values (RFC 9110 §8.6)"
    }
  }
}
