import Testing

@testable import TapedeckHTTP

/// Bytes from a client, and the one thing they mean to us: so many requests, and then perhaps a refusal.
struct RequestRow: Sendable, CustomTestStringConvertible {
  var id: String
  var what: String
  var bytes: [UInt8]
  /// The requests that come out, as `meaning(of:)` tells them.
  var accepted: [String] = []
  /// The status of the refusal that ends it.
  var refusal: Int?

  var testDescription: String { "\(id) \(what)" }
}

/// Each scalar is one byte, so that `\u{85}` is the byte 0x85.
func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

func refused(
  _ id: String, _ what: String, _ status: Int, _ text: String, after accepted: [String] = []
) -> [RequestRow] {
  [RequestRow(id: id, what: what, bytes: latin1(text), accepted: accepted, refusal: status)]
}

/// One row for every variant.
func refused(
  _ id: String, _ what: String, _ status: Int, _ variants: [String], _ text: (String) -> String
) -> [RequestRow] {
  variants.map { variant in
    RequestRow(
      id: id, what: "\(what): \(variant.prefix(40).debugDescription)", bytes: latin1(text(variant)),
      refusal: status)
  }
}

func accepted(_ id: String, _ what: String, _ text: String, _ meanings: String...) -> [RequestRow] {
  [RequestRow(id: id, what: what, bytes: latin1(text), accepted: meanings)]
}

/// Everything that decides what a request means, as one line: method, target, authority, body, trailers, and whether
/// the connection ends with it.
func meaning(of request: HTTPRequest) -> String {
  let text = { (bytes: [UInt8]) in String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
  var line = "\(request.method) \(text(request.target)) @\(text(request.authority))"
  if !request.body.isEmpty {
    line += request.body.count > 100 ? " \(request.body.count) bytes" : " [\(text(request.body))]"
  }
  for field in request.trailers { line += " +\(text(Array(field.name))): \(text(Array(field.value)))" }
  return request.keepsAlive ? line : "\(line) close"
}

/// What the parser makes of `pieces`, arriving one after the other; the same where all heads have come before.
func outcome(of pieces: [ArraySlice<UInt8>]) -> (accepted: [String], refusal: Int?) {
  let heads = HeadCache(HTTPLimits())
  let first = outcome(of: pieces, heads)
  for _ in 0..<2 { #expect(outcome(of: pieces, heads) == first) }
  return first
}

private func outcome(of pieces: [ArraySlice<UInt8>], _ heads: HeadCache) -> (
  accepted: [String], refusal: Int?
) {
  var parser = HTTP1RequestParser(heads: heads)
  var accepted: [String] = []
  for piece in pieces {
    do throws(HTTPParseError) {
      try Array(piece).withRawBytes { buffer throws(HTTPParseError) in
        var offset = 0
        while true {
          switch try parser.next(buffer, at: &offset) {
          case .request(let request): accepted.append(meaning(of: request))
          case .continueExpected, .upload: break
          case nil: if offset == buffer.count { return }
          }
        }
      }
    } catch {
      return (accepted, error.status)
    }
  }
  return (accepted, nil)
}
