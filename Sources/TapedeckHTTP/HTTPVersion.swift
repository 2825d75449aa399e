/// The two versions spoken on the wire here.
public enum HTTPVersion: String, Sendable {
  case http10 = "HTTP/1.0"
  case http11 = "HTTP/1.1"
}
