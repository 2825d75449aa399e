/// Where a request ends: Content-Length and Transfer-Encoding, A01–A37.
private let base = "POST /x HTTP/1.1\r\nHost: h\r\n"
private let smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
private let chunkedHello = "5\r\nhello\r\n0\r\n\r\n"

let framingRows: [RequestRow] = (lengthRows + codingRows + boundaryRows).flatMap { $0 }

private let lengthRows: [[RequestRow]] = [
  refused(
    "A01", "Content-Length and Transfer-Encoding", 400,
    "\(base)Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG"),
  refused(
    "A02", "Transfer-Encoding and Content-Length", 400,
    "\(base)Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nG"),
  refused(
    "A03", "both, and a request behind them", 400,
    "\(base)Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(smuggled)"),
  refused(
    "A04", "two Content-Length fields that differ", 400,
    "\(base)Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
  refused(
    "A05", "two Content-Length fields that agree", 400,
    "\(base)Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
  refused("A06", "a Content-Length list that agrees", 400, "\(base)Content-Length: 5, 5\r\n\r\nhello"),
  refused("A07", "a Content-Length list that differs", 400, "\(base)Content-Length: 5, 6\r\n\r\nhello!"),
  length("A08", "a plus sign", ["+5"]),
  length("A09", "a minus sign", ["-1", "-0", "-48"]),
  length("A10", "no digits", ["", " ", "   ", "\t"]),
  length("A11", "not decimal", ["0x10", "1e3", "5_0", "5.0", "5;", "5 5", "\"5\"", "5a", "five"]),
  length(
    "A12", "too large", ["18446744073709551621", "9223372036854775808", String(repeating: "9", count: 40)]),
  refused("A12", "larger than any body may be", 413, "\(base)Content-Length: 9223372036854775807\r\n\r\n"),
  accepted("A13", "leading zeros", "\(base)Content-Length: 0005\r\n\r\nhello", "POST /x @h [hello]"),
  accepted(
    "A14", "a leading zero is not octal", "\(base)Content-Length: 010\r\n\r\n0123456789",
    "POST /x @h [0123456789]"),
  refused("A15", "a name that is no token", 400, ["\u{85}", "\u{A0}"]) {
    "\(base)Content-Length\($0): 5\r\n\r\nhello"
  },
  length("A16", "white space that is none", ["\u{A0}5", "5\u{85}", "\u{85}5", "5\u{A0}"]),
]

private func length(_ id: String, _ what: String, _ values: [String]) -> [RequestRow] {
  refused(id, "Content-Length with \(what)", 400, values) { "\(base)Content-Length: \($0)\r\n\r\nhello" }
}

private func coding(_ id: String, _ what: String, _ status: Int, _ lines: [String]) -> [RequestRow] {
  refused(id, what, status, lines) { "\(base)Transfer-Encoding\($0)\r\n\r\n\(chunkedHello)" }
}

private func coding(_ id: String, _ what: String, _ list: [String]) -> [RequestRow] {
  coding(id, what, 400, list)
}

private let codingRows: [[RequestRow]] = [
  coding("A17", "an unknown coding", [": xchunked", ": chunkedchunked", ": identity", ": gzip"]),
  coding("A18", "chunked is not last", [": chunked, identity", ": chunked, gzip"]),
  coding("A19", "a coding not understood", 501, [": gzip, chunked"]),
  coding("A20", "chunked twice", [": chunked, chunked", ": chunked\r\nTransfer-Encoding: chunked"]),
  coding("A21", "no coding", [":", ": ", ": ,"]),
  accepted(
    "A22", "empty list members before", "\(base)Transfer-Encoding: , chunked\r\n\r\n\(chunkedHello)",
    "POST /x @h [hello]"),
  accepted(
    "A22", "empty list members behind", "\(base)Transfer-Encoding: chunked,\r\n\r\n\(chunkedHello)",
    "POST /x @h [hello]"),
  coding("A22", "with a length, A01", [": , chunked\r\nContent-Length: 5"]),
  accepted(
    "A23", "case does not matter", "\(base)transfer-encoding: CHUNKed\r\n\r\n\(chunkedHello)",
    "POST /x @h [hello]"),
  coding("A24", "the Kelvin sign is no k", [": chun\u{E2}\u{84}\u{AA}ed"]),
  coding(
    "A25", "decorated", [": \"chunked\"", ": 'chunked'", ": chunked;x=1", ": chunked x", ": chunked; x"]),
  coding(
    "A26", "control bytes", [":\u{B}chunked", ":\u{C}chunked", ": chunked\u{0}", ": chunked\u{B}"]),
  coding("A27", "white space before the colon", [" : chunked", "\t: chunked"]),
  refused("A28", "white space before the first field", 400, [" ", "\t"]) {
    "POST /x HTTP/1.1\r\n\($0)Transfer-Encoding: chunked\r\nHost: h\r\n\r\n\(chunkedHello)"
  },
  coding("A29", "folded", [":\r\n chunked", ":\r\n\tchunked"]),
  accepted(
    "A30", "underscores make other names", "\(base)Transfer_Encoding: chunked\r\n\r\n\(smuggled)",
    "POST /x @h", "GET /smuggled @h"),
  accepted(
    "A30", "underscores in a length", "\(base)Content_Length: 5\r\n\r\n\(smuggled)", "POST /x @h",
    "GET /smuggled @h"),
  refused("A31", "behind a bare CR", 400, "\(base)X: a\rTransfer-Encoding: chunked\r\n\r\n\(chunkedHello)"),
  refused("A32", "behind a bare LF", 400, "\(base)X: a\nTransfer-Encoding: chunked\r\n\r\n\(chunkedHello)"),
  refused(
    "A33", "chunked in HTTP/1.0", 400,
    "POST /x HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(chunkedHello)"),
]

private let boundaryRows: [[RequestRow]] = [
  accepted("A34", "neither field: no body", "\(base)\r\n\(smuggled)", "POST /x @h", "GET /smuggled @h"),
  accepted(
    "A35", "GET with a body", "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
    "GET /x @h [hello]"),
  accepted(
    "A36", "no length, and a request behind", "\(base)Content-Length: 0\r\n\r\n\(smuggled)", "POST /x @h",
    "GET /smuggled @h"),
  refused(
    "A36", "no length, and no request behind", 400, "\(base)Content-Length: 0\r\n\r\nX=1&y\r\n\r\n",
    after: ["POST /x @h"]),
  accepted("A37", "an incomplete body is no request", "\(base)Content-Length: 100\r\n\r\n0123456789"),
]
