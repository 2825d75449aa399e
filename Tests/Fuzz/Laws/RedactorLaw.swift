import TapedeckHTTP

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Redaction: the same every time, JSON still JSON, compressed like plain, and what is planted is gone.
///
/// That hiding twice is hiding once is a law for texts as people and programs write them, and tests hold it there. For
/// any bytes it is none yet: a text that was no JSON, or a key in PEM without an end, can be read otherwise once something
/// in it was hidden.
///
/// The input is a line with the query, a line with the media type, and the body.
enum RedactorLaw {
  private static let redaction = Redaction(upstream: "http://origin.test")
  private static let secret = "Zx9-kQ4vTn7bLw2m"
  private static let token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let parts = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let body = parts.count > 2 ? Array(parts[2]) : []
    var request = HTTPRequest(.post, "/")
    request.target += [0x3F] + (parts.first ?? [])
    request.body = body
    do {
      try request.fields.append(name: Array("Content-Type".utf8), value: parts.count > 1 ? parts[1] : [])
    } catch { return }
    try quickCheckAgrees(body)
    try isStable(request)
    try isLikePlain(request)
    try hidesWhatIsPlanted(body)
  }

  /// What the quick check passes has no finds.
  private static func quickCheckAgrees(_ body: [UInt8]) throws(BrokenLaw) {
    guard let policy = redaction.policy, !JSONQuickCheck.mayHide(body[...]) else { return }
    var walk = JSONWalk(body[...], SecretSearch(policy), depth: 0)
    try require(
      walk.run()?.isEmpty == true, "the quick check finds nothing in \(String(decoding: body, as: UTF8.self))"
    )
  }

  private static func isStable(_ request: HTTPRequest) throws(BrokenLaw) {
    let hidden = redaction.redacted(request)
    if case .json = MediaType(request.fields).kind, isJSON(request.body) {
      try require(isJSON(hidden.body), "\(text(hidden)) is no JSON any more")
    }
    try require(redaction.redacted(request) == hidden, "two redactions of one request")
  }

  private static func isJSON(_ body: [UInt8]) -> Bool { (try? JSONValue(parsing: body)) != nil }

  private static func text(_ request: HTTPRequest) -> String {
    String(decoding: request.target + [0x0A] + request.body, as: UTF8.self)
  }

  /// What is compressed is hidden as if it were not.
  private static func isLikePlain(_ request: HTTPRequest) throws(BrokenLaw) {
    var packed = request
    guard let body = BodyCoding.gzip.encoded(request.body) else { throw BrokenLaw("gzip fails") }
    try require(BodyCoding.gzip.decoded(body[...]) == request.body, "gzip gives other bytes back")
    packed.body = body
    do { try packed.fields.append("Content-Encoding", "gzip") } catch { return }
    let hidden = BodyCoding.gzip.decoded(redaction.redacted(packed).body[...])
    try require(hidden == redaction.redacted(request).body, "gzip makes a difference")
  }

  /// Beside any other text.
  private static func hidesWhatIsPlanted(_ filling: [UInt8]) throws(BrokenLaw) {
    guard ![secret, token].contains(where: { ByteSearch.first(Array($0.utf8), in: filling[...]) != nil })
    else { return }
    let encoded = DecodedText.percentEncoded(filling)
    var form = HTTPRequest(.post, "/")
    form.target += Array("?x=".utf8) + encoded + Array("&password=\(secret)".utf8)
    form.body = Array("x=".utf8) + encoded + Array("&password=\(secret)&y=\(token)".utf8)
    try hides(form, type: "application/x-www-form-urlencoded")

    var json = HTTPRequest(.post, "/")
    let string = JSONValue(String(decoding: filling, as: UTF8.self))
    let document: JSONValue = [
      "x": string, "y": [["password": JSONValue(secret), "z": string], JSONValue(token)],
    ]
    json.body = document.bytes()
    try hides(json, type: "application/json")

    var text = HTTPRequest(.post, "/")
    text.body = filling + Array("\n\(token)\n".utf8)
    try hides(text, type: "text/plain")
  }

  private static func hides(_ request: HTTPRequest, type: String) throws(BrokenLaw) {
    var request = request
    do { try request.fields.append("Content-Type", type) } catch { return }
    let hidden = redaction.redacted(request)
    for planted in [secret, token] {
      let pattern = Array(planted.utf8)
      try require(
        ByteSearch.first(pattern, in: hidden.target[...]) == nil
          && ByteSearch.first(pattern, in: hidden.body[...]) == nil,
        "\(planted) is left in \(text(hidden))")
    }
  }
}
