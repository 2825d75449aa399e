import TapedeckSockets
import TapedeckUpstream
import Testing

@testable import TapedeckProxy

@Test(
  arguments: [
    ("http://api.example.com", "api.example.com", true),
    ("http://api.example.com", "API.example.com:80", true),
    ("https://api.example.com/v2", "api.example.com", true),
    ("https://api.example.com", "api.example.com:443", true),
    ("http://api.example.com", "api.example.com:8080", false),
    ("http://api.example.com:8080", "api.example.com", false),
    ("http://api.example.com:8080", "api.example.com:8080", true),
    ("http://api.example.com", "example.com", false),
    ("http://[::1]:8080", "[::1]:8080", true), ("http://[::1]", "[::1]", true),
    ("http://[::1]", "[::2]", false),
  ])
func `an authority is the origin's in either scheme, with its port`(url: String, asked: String, isOurs: Bool)
  throws
{
  #expect((AuthorityName(Array(asked.utf8)) == AuthorityName(try UpstreamOrigin(url))) == isOurs)
}

@Test(
  arguments: [
    ("127.0.0.1", "127.0.0.1:4000", true), ("127.0.0.1", "localhost:4000", true),
    ("127.0.0.1", "[::1]:4000", true),
    ("127.0.0.1", "127.0.0.1:4001", false), ("127.0.0.1", "127.0.0.1", false),
    ("127.0.0.1", "127.1.1.1:4000", false),
    ("127.0.0.1", "other.example:4000", false), ("0.0.0.0", "127.1.1.1:4000", true),
    ("0.0.0.0", "192.0.2.1:4000", false), ("0.0.0.0", "other.example:4000", false),
  ])
func `a listener is known by its addresses and never by a name that would be looked up`(
  host: String, asked: String, isOurs: Bool
) {
  let names = ListenerNames()
  #expect(!names.contains(AuthorityName(Array(asked.utf8))))
  names.set(SocketAddress(host: host, port: 4000), toldHost: host)
  #expect(names.contains(AuthorityName(Array(asked.utf8))) == isOurs)
}
