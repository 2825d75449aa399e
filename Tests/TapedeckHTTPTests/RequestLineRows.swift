/// Method, target and version, A55–A75.
private let host = "Host: h\r\n\r\n"

let requestLineRows: [RequestRow] = (lineRows + targetRows + formRows).flatMap { $0 }

private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

private func lines(_ id: String, _ what: String, _ status: Int, _ lines: [String]) -> [RequestRow] {
  refused(id, what, status, lines) { "\($0)\r\n\(host)" }
}

private func lines(_ id: String, _ what: String, _ list: [String]) -> [RequestRow] {
  lines(id, what, 400, list)
}

private let lineRows: [[RequestRow]] = [
  accepted("A55", "empty lines before a request", "\r\n\r\nGET / HTTP/1.1\r\n\(host)", "GET / @h"),
  accepted("A55", "four empty lines", "\(repeated("\r\n", 4))GET / HTTP/1.1\r\n\(host)", "GET / @h"),
  refused("A55", "five empty lines", 400, "\(repeated("\r\n", 5))GET / HTTP/1.1\r\n\(host)"),
  refused("A55", "an empty line that is none", 400, ["\n", "\r", " \r\n"]) {
    "\($0)GET / HTTP/1.1\r\n\(host)"
  },
  lines(
    "A56", "other white space",
    [
      "GET  / HTTP/1.1", "GET\t/ HTTP/1.1", "GET /  HTTP/1.1", "GET /\tHTTP/1.1", "GET / HTTP/1.1 ",
      "GET / HTTP/1.1\t", " GET / HTTP/1.1", "GET\u{B}/ HTTP/1.1", "GET\u{C}/ HTTP/1.1", "GET /\u{B}HTTP/1.1",
      "GET /\u{C}HTTP/1.1", "GET\r/ HTTP/1.1", "GET /\rHTTP/1.1",
    ]),
  refused("A57", "a line without its LF", 400, "GET / HTTP/1.1\rHost: h\r\n\r\n"),
  refused("A57", "a line cut by LF", 400, "GET /\nHTTP/1.1\r\n\(host)"),
  refused("A57", "a line ended by LF", 400, "GET / HTTP/1.1\n\(host)"),
  // Told before any further line comes: a client of HTTP/0.9 sends none.
  refused("A58", "HTTP/0.9", 400, ["GET /\r\n", "GET / \r\n", "GET\r\n", "GET \r\n"]) { $0 },
  lines(
    "A59", "no version",
    [
      "HTTP/1", "HTTP/1.01", "HTTP/1.10", "HTTP/01.1", "http/1.1", "HTTP /1.1", "HTTP/4294967295.255",
      "HTTP/1,1", "HTTP/1.", "HTTP/.1", "HTTP/1.x", "HTTP/+1.1", "HTTP1.1", "HTTPS/1.1", "HTTP/1.1;a",
    ].map { "GET / \($0)" }),
  accepted("A60", "a later 1.x is read as 1.1", "GET / HTTP/1.2\r\n\(host)", "GET / @h"),
  lines("A60", "another major version", 505, ["GET / HTTP/2.0", "GET / HTTP/3.7", "GET / HTTP/0.9"]),
  refused("A60", "the preface of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  lines(
    "A61", "no method",
    [
      "G=\":<>(e) / HTTP/1.1", "G\u{0}T / HTTP/1.1", " / HTTP/1.1", "/ HTTP/1.1", "G\u{C9}T / HTTP/1.1",
      "\u{0}",
    ]),
  lines(
    "A61", "an endless method", 501,
    ["\(repeated("A", 10_240)) / HTTP/1.1", "\(repeated("A", 33)) / HTTP/1.1"]),
  accepted("A62", "an unknown method", "FOO / HTTP/1.1\r\n\(host)", "FOO / @h"),
  accepted("A62", "case matters in a method", "get / HTTP/1.1\r\n\(host)", "get / @h"),
]

/// Each scalar a byte: all that a target may hold.
private let otherBytes = String(
  String.UnicodeScalarView(
    (0x21...0xFF).filter { $0 != 0x23 && $0 != 0x7F }.map { Unicode.Scalar(UInt8($0)) }))

private let targetRows: [[RequestRow]] = [
  lines(
    "A63", "a byte that no target holds",
    [" ", "\u{0}", "\u{1}", "\u{1F}", "\u{7F}", "\u{B}"].map { "GET /a\($0)b HTTP/1.1" }),
  accepted(
    "A63", "what clients send raw", "GET /users?filter={\"id\":[1]}&p=C:\\<dir>|^` HTTP/1.1\r\n\(host)",
    "GET /users?filter={\"id\":[1]}&p=C:\\<dir>|^` @h"),
  accepted(
    "A63", "every other byte", "GET /\(otherBytes) HTTP/1.1\r\n\(host)", "GET /\(otherBytes) @h"),
  accepted(
    "A63", "in absolute form", "GET http://o/\u{C3}\u{A9} HTTP/1.1\r\n\(host)", "GET /\u{C3}\u{A9} @o"),
  lines("A64", "a fragment", ["GET /#frag HTTP/1.1", "GET #frag HTTP/1.1", "GET http://o/#f HTTP/1.1"]),
  accepted(
    "A65", "a target of 7,900 bytes", "GET /\(repeated("a", 7899)) HTTP/1.1\r\n\(host)",
    "GET /\(repeated("a", 7899)) @h"),
  lines(
    "A65", "an endless target", 414,
    ["GET /\(repeated("a", 16_384)) HTTP/1.1", "GET /\(repeated("a", 1 << 20)) HTTP/1.1"]),
]

private let formRows: [[RequestRow]] = [
  accepted(
    "A66", "absolute form goes before Host", "GET http://o/p HTTP/1.1\r\nHost: other\r\n\r\n", "GET /p @o"),
  lines(
    "A67", "user information",
    ["GET http://u:p@o/ HTTP/1.1", "GET http://u@o/ HTTP/1.1", "GET http://@o/ HTTP/1.1"]),
  lines(
    "A68", "another scheme",
    ["ftp://o/", "file:///etc/passwd", "gopher://o/", "javascript:alert(1)", "//o/../p://", "ws://o/"].filter
    {
      $0.first != "/"
    }.map { "GET \($0) HTTP/1.1" }),
  accepted("A69", "absolute form with a query only", "GET http://o?x=1 HTTP/1.1\r\n\(host)", "GET /?x=1 @o"),
  accepted("A69", "absolute form without a path", "GET HTTP://o HTTP/1.1\r\n\(host)", "GET / @o"),
  accepted("A69", "OPTIONS of the server", "OPTIONS http://o HTTP/1.1\r\n\(host)", "OPTIONS * @o"),
  accepted("A70", "IPv6", "GET http://[::1]:80/ HTTP/1.1\r\n\(host)", "GET / @[::1]:80"),
  accepted(
    "A70", "IPv4 in IPv6", "GET http://[::ffff:127.0.0.1]/ HTTP/1.1\r\n\(host)", "GET / @[::ffff:127.0.0.1]"),
  // Names all three; the origin that is asked never comes from the target.
  accepted("A70", "hexadecimal", "GET http://0x7f.1/ HTTP/1.1\r\n\(host)", "GET / @0x7f.1"),
  accepted("A70", "one number", "GET http://2130706433/ HTTP/1.1\r\n\(host)", "GET / @2130706433"),
  accepted("A70", "two numbers", "GET http://127.1/ HTTP/1.1\r\n\(host)", "GET / @127.1"),
  lines(
    "A70", "no address",
    ["[fe80::1%25eth0]", "[::1", "::1", "[]", "[1]", "[::g]"].map { "GET http://\($0)/ HTTP/1.1" }),
  lines(
    "A71", "no port",
    ["0", "65536", "80x", "-1", "+80", "8 0", "000080"].map { "GET http://o:\($0)/ HTTP/1.1" }),
  accepted("A71", "an empty port is the default one", "GET http://o:/p HTTP/1.1\r\n\(host)", "GET /p @o"),
  accepted("A71", "an empty port behind IPv6", "GET http://[::1]: HTTP/1.1\r\n\(host)", "GET / @[::1]"),
  lines(
    "A72", "authority form with GET",
    ["GET o:80 HTTP/1.1", "GET admin HTTP/1.1", "GET ?x HTTP/1.1", "GET http:/o HTTP/1.1"]),
  lines(
    "A73", "a tunnel", 501, ["CONNECT o:443 HTTP/1.1", "CONNECT o:25 HTTP/1.1", "CONNECT [::1]:22 HTTP/1.1"]),
  lines(
    "A73", "no tunnel",
    ["o", "/", "http://o:80", "o:0", "o:", ":443", "u@o:443", "*", "o:443/x"].map { "CONNECT \($0) HTTP/1.1" }
  ),
  refused(
    "A74", "a tunnel with a body", 501,
    [
      "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\n\(host)",
    ]
  ) { "CONNECT o:443 HTTP/1.1\r\nHost: o\r\n\($0)" },
  accepted("A75", "OPTIONS *", "OPTIONS * HTTP/1.1\r\n\(host)", "OPTIONS * @h"),
  lines("A75", "an asterisk elsewhere", ["GET * HTTP/1.1", "OPTIONS */x HTTP/1.1", "OPTIONS ** HTTP/1.1"]),
]
