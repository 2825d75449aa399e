import Testing

@testable import TapedeckHTTP

/// Every malformed or ambiguous request of the catalogue, three ways: whole, byte by byte, and cut in two at every
/// boundary (at 16 of them where there are more than 4,000). It must come to the same each time, since how TCP cuts
/// the bytes may not change what they mean.
@Test(arguments: framingRows + chunkRows + requestLineRows + fieldRows)
func `client bytes have one meaning`(_ row: RequestRow) {
  let bytes = row.bytes[...]
  expect(row, outcome(of: [bytes]), "whole")
  expect(row, outcome(of: bytes.indices.map { bytes[$0...$0] }), "byte by byte")
  for boundary in stride(from: 1, to: bytes.count, by: bytes.count > 4000 ? bytes.count / 16 : 1) {
    expect(row, outcome(of: [bytes[..<boundary], bytes[boundary...]]), "cut at \(boundary)")
  }
}

private func expect(_ row: RequestRow, _ came: (accepted: [String], refusal: Int?), _ how: String) {
  // One `#expect` a cut would be slow; a failure still names the cut.
  if came.accepted == row.accepted, came.refusal == row.refusal { return }
  #expect(came.accepted == row.accepted, "\(row.testDescription), \(how)")
  #expect(came.refusal == row.refusal, "\(row.testDescription), \(how)")
}

@Test func `the table holds every row about bytes`() {
  let present = Set((framingRows + chunkRows + requestLineRows + fieldRows).map(\.id))
  // Stalls, slow clients and what is forwarded need a running server: Tests/EndToEnd/test_requests.py and others.
  let elsewhere: Set = ["A38", "A76", "A77", "A86", "A87", "A89", "A90", "A92"]
  let missing = (1...92).map { $0 < 10 ? "A0\($0)" : "A\($0)" }.filter {
    !present.contains($0) && !elsewhere.contains($0)
  }
  #expect(missing == [])
}

private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
  var fields = HTTPFields()
  for (name, value) in pairs { try fields.append(name, value) }
  return fields
}

@Test func `A87 A88 A89 fields of one connection are stripped, framing and Host never by nomination`() throws
{
  var kept = try fields([
    ("Host", "h"), ("Connection", "close, X-Secret, TE ,host"), ("connection", "Authorization,Cookie"),
    ("Connection", "Cache-Control"), ("x-secret", "1"), ("TE", "trailers"), ("Authorization", "a"),
    ("Cookie", "c"), ("Cache-Control", "no-cache"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "x"),
    ("Trailer", "X-T"), ("Upgrade", "h2c"), ("Proxy-Authorization", "p"),
    ("Content-Length", "0"), ("X-Kept", "1"),
  ])
  kept.removeHopByHop()
  #expect(
    kept.map { String(decoding: $0.name, as: UTF8.self) } == ["Host", "Trailer", "Content-Length", "X-Kept"])
}

@Test(arguments: [("0", 0), ("1", 1), ("007", 7), ("999999999999999999", 999_999_999_999_999_999)])
func `A91 a plain Max-Forwards`(_ text: String, number: Int) throws {
  #expect(try fields([("Max-Forwards", text)]).maxForwards() == number)
}

@Test(arguments: [
  ["-1"], ["1x"], ["1180591620717411303424"], [""], ["+1"], ["1 1"], ["1,1"], ["0x1"], ["1", "1"],
])
func `A91 a Max-Forwards that is not one plain number`(_ values: [String]) throws {
  let fields = try fields(values.map { ("Max-Forwards", $0) })
  #expect(throws: HTTPParseError.badMaxForwards) { try fields.maxForwards() }
}

@Test(arguments: [
  ("1.1 tapedeck", true), ("1.0 other, 1.1 Tapedeck (a comment)", true), ("HTTP/1.1\ttapedeck", true),
  ("1.1 tapedeck.example", false), ("tapedeck", false), ("1.1 other (tapedeck)", false), ("", false),
])
func `A90 Via tells who was passed`(_ value: String, isOurs: Bool) throws {
  #expect(try fields([("Via", value)]).hasPassed("tapedeck") == isOurs)
}
