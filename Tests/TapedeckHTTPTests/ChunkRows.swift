/// Chunked bodies, A39–A54.
private let base = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
private let hello = "POST /x @h [hello]"

let chunkRows: [RequestRow] = (sizeRows + trailerRows).flatMap { $0 }

private func bad(_ id: String, _ what: String, _ bodies: [String]) -> [RequestRow] {
  refused(id, what, 400, bodies) { "\(base)\($0)" }
}

private func sizes(_ id: String, _ what: String, _ lines: [String]) -> [RequestRow] {
  refused(id, what, 400, lines) { "\(base)\($0)\r\nhello\r\n0\r\n\r\n" }
}

private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

private let sizeRows: [[RequestRow]] = [
  accepted("A39", "an extension", "\(base)5;a=b\r\nhello\r\n0\r\n\r\n", hello),
  accepted("A39", "a quoted extension", "\(base)5;a=\"b;\\\"c\"\r\nhello\r\n0;z\r\n\r\n", hello),
  accepted("A39", "blanks around an extension", "\(base)5 ; a = b ;c\r\nhello\r\n0\r\n\r\n", hello),
  bad("A40", "one endless extension", ["5;a=\(repeated("b", 65_536))\r\nhello\r\n0\r\n\r\n"]),
  bad("A40", "extensions over many chunks", [repeated("1;a=\(repeated("b", 1000))\r\nx\r\n", 66)]),
  sizes(
    "A41", "a malformed extension", ["5;", "5;[x", "5;a=\u{0}", "5;a=", "5;=b", "5;a=\"b", "5;;a", "5;a b"]),
  sizes(
    "A42", "not a hexadecimal size",
    ["0x5", "+5", "-0", "-5", "5_0", " 5", "\t5", "5  ", "5 ", "5\t", "G", "5 5", "5,5", "\u{B}5"]),
  sizes("A43", "an empty size line", ["", " ", ";a"]),
  accepted("A44", "sixteen digits", "\(base)0000000000000005\r\nhello\r\n0\r\n\r\n", hello),
  sizes("A44", "more than sixteen digits", ["00000000000000005", "00000000000000000005"]),
  sizes("A45", "a size beyond counting", ["FFFFFFFFFFFFFFFF", "10000000000000005", "8000000000000000"]),
  refused("A45", "a size beyond the limit", 413, ["7FFFFFFFFFFFFFFF", "8000001"]) {
    "\(base)\($0)\r\nhello\r\n0\r\n\r\n"
  },
  bad(
    "A46", "bare line feeds",
    [
      "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n",
      "5;a\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nX: 1\n\r\n",
    ]),
  bad("A47", "CR that ends nothing", ["5\rXhello\r\n0\r\n\r\n", "5\r\r;ABCD\r\nhello\r\n0\r\n\r\n"]),
  bad("A48", "data longer than declared", ["4\r\nhello\r\n0\r\n\r\n"]),
  bad("A49", "data not followed by CRLF", ["5\r\nhelloXX0\r\n\r\n", "5\r\nhello\rX0\r\n\r\n"]),
  accepted("A50", "no last chunk is no request", "\(base)5\r\nhello\r\n"),
  accepted("A51", "a last chunk without the final line end is no request", "\(base)5\r\nhello\r\n0\r\n"),
]

private let trailerRows: [[RequestRow]] = [
  accepted(
    "A52", "trailers stay apart", "\(base)5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n", "\(hello) +X-T: 1"),
  accepted(
    "A52", "forbidden trailers are dropped",
    "\(base)5\r\nhello\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: evil\r\n"
      + "Authorization: x\r\nContent-Type: x\r\nX-T: 1\r\n\r\n", "\(hello) +X-T: 1"),
  bad("A52", "malformed trailers", ["0\r\nX : 1\r\n\r\n", "0\r\nno colon\r\n\r\n", "0\r\n X: 1\r\n\r\n"]),
  refused("A53", "10,000 trailers", 431, "\(base)0\r\n\(repeated("X: 1\r\n", 10_000))\r\n"),
  refused("A53", "a trailer of 1 MiB", 431, "\(base)0\r\nX: \(repeated("y", 1 << 20))\r\n\r\n"),
  accepted(
    "A54", "100,000 chunks of one byte", "\(base)\(repeated("1\r\nx\r\n", 100_000))0\r\n\r\n",
    "POST /x @h 100000 bytes"),
]
