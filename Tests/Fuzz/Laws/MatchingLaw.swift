import TapedeckHTTP

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Match keys: any request has one, the same every time, and white space in JSON makes no difference.
///
/// The input is a line with the query, a line with the media type, and the body.
enum MatchingLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let parts = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    var request = HTTPRequest(.post, "/")
    request.target += [0x3F] + (parts.first ?? [])
    let mediaType = parts.count > 1 ? parts[1] : []
    do { try request.fields.append(name: Array("Content-Type".utf8), value: mediaType) } catch { return }
    request.body = parts.count > 2 ? Array(parts[2]) : []
    let key = RequestMatcher().key(for: request)
    try require(RequestMatcher().key(for: request) == key, "two keys for one request")
    guard case .json = MediaType(request.fields).kind, let value = try? JSONValue(parsing: request.body)
    else {
      return
    }
    request.body = value.bytes(.pretty)
    try require(RequestMatcher().key(for: request) == key, "white space makes another key")
  }
}
