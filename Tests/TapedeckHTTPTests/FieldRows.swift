/// Header fields and Host, A78–A91, and what concerns the bytes of A93–A100.
private let base = "GET /x HTTP/1.1\r\nHost: h\r\n"
private let next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"

let fieldRows: [RequestRow] = (hostRows + lineRows + connectionRows).flatMap { $0 }

private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

private func field(_ id: String, _ what: String, _ lines: [String]) -> [RequestRow] {
  refused(id, what, 400, lines) { "\(base)\($0)\r\n\r\n" }
}

private let hostRows: [[RequestRow]] = [
  refused("A78", "no Host", 400, "GET / HTTP/1.1\r\nX: 1\r\n\r\n"),
  refused("A78", "two Hosts", 400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
  refused("A78", "two equal Hosts", 400, "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"),
  refused("A78", "two Hosts of HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nhost: a\r\n\r\n"),
  refused(
    "A78", "not a host", 400,
    [
      "a, b", "a b", "a/x", "u@a", "a:b", ":", "a::", "a:0", "a:65536", "http://a", "[::1", "a,b", "a?",
      "a\u{C3}\u{A9}", "::1",
    ]
  ) { "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n" },
  accepted("A78", "an empty port is the default one", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "GET / @a"),
  accepted("A78", "an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / @"),
  accepted("A79", "HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "GET / @ close"),
]

private let lineRows: [[RequestRow]] = [
  field(
    "A80", "no field",
    [
      "Name : v", "Name\t: v", ": v", "Na me: v", "Name\u{EF}: v", "Na[me]: v", "Name", "Te\r\nst: x",
      "Na\"me: v",
      "Na@me: v", "Name\u{0}: v", "Na{me: v", "Name;: v",
    ]),
  field(
    "A81", "a control byte in a value",
    ((0...8).map { $0 } + (10...31).map { $0 } + [127]).map { (code: UInt8) in
      "X: a\(Unicode.Scalar(code))b"
    }),
  accepted("A81", "a tab in a value", "\(base)X: a\tb\r\n\r\n", "GET /x @h"),
  accepted("A82", "opaque bytes in a value", "\(base)X: \u{80}\u{FF}\u{E9}\r\n\r\n", "GET /x @h"),
  field("A83", "a folded value", ["X: a\r\n b", "X: a\r\n\tb", "X: a\r\n \r\n b"]),
  refused(
    "A84", "a head ended otherwise", 400, ["\r\n\rX", "\n\n", "\r\n\r\r\n", "\r\n\n", "\r\r\n\r\n", "\n\r\n"]
  ) {
    "GET /x HTTP/1.1\r\nHost: h\($0)"
  },
  accepted("A85", "100 fields", "\(base)\(repeated("X: 1\r\n", 99))\r\n", "GET /x @h"),
  refused("A85", "too many fields", 431, ["101", "1000", "100000"]) {
    "\(base)\(repeated("X: 1\r\n", (Int($0) ?? 0) - 1))\r\n"
  },
  refused("A85", "an endless line", 431, ["65536", "1048576"]) {
    "\(base)X: \(repeated("y", Int($0) ?? 0))\r\n\r\n"
  },
  refused("A85", "an endless name", 431, "\(base)\(repeated("y", 1 << 20)): 1\r\n\r\n"),
  field(
    "A88", "Connection nominates framing",
    ["Content-Length", "close, Transfer-Encoding", "content-length ,x", "x,\ttransfer-encoding"].map {
      "Connection: \($0)"
    }),
  accepted(
    "A88", "Connection nominates other fields",
    "\(base)Connection: Host, Authorization, Cookie, Cache-Control\r\n\r\n", "GET /x @h"),
  accepted(
    "A91", "Max-Forwards is nothing to a parser", "\(base)Max-Forwards: 1x\r\n\r\n", "GET /x @h"),
]

private let connectionRows: [[RequestRow]] = [
  accepted(
    "A93", "pipelined requests",
    "\(base)\r\nPOST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi\(next)",
    "GET /x @h", "POST /p @h [hi]", "GET /next @h"),
  refused(
    "A94", "a good request before a bad one", 400, "\(base)\r\nGET /bad HTTP/1.1\r\nHost: a b\r\n\r\n\(next)",
    after: ["GET /x @h"]),
  accepted(
    "A96", "HTTP/1.0 is not kept alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / @ close"),
  refused(
    "A97", "an unknown expectation", 417,
    ["200-ok", "100-continue, x", "100-continue\r\nExpect: 100-continue", ""]
  ) {
    "\(base)Expect: \($0)\r\nContent-Length: 1\r\n\r\nx"
  },
  accepted(
    "A97", "an expectation of HTTP/1.0", "POST / HTTP/1.0\r\nExpect: what\r\nContent-Length: 1\r\n\r\nx",
    "POST / @ [x] close"),
  refused(
    "A98", "refused before its body came", 413,
    "\(base)Expect: 100-continue\r\nContent-Length: 999999999999\r\n\r\n\(next)"),
  accepted(
    "A99", "an upgrade nobody takes up",
    "\(base)Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n\(next)",
    "GET /x @h",
    "GET /next @h"),
  refused("A100", "a TLS handshake", 400, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}"),
  refused("A100", "an SSH banner", 400, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"),
]
