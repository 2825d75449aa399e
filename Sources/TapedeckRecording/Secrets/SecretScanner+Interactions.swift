import TapedeckHTTP
package import TapedeckRedaction

/// Scans interactions part by part. Places are named as in misses.
extension SecretScanner {
  /// The bytes read at once from a body too large to hold.
  private static let windowBytes = 1 << 20
  /// The overlap of windows: the longest secret that is seen whole.
  private static let overlapBytes = 16 * 1024

  package func finds(in interaction: Interaction, file: String) throws(CassetteError) -> [SecretFind] {
    let (request, response) = (interaction.request, interaction.response)
    let target = finds(inTarget: request.target, at: "request.target")
    let origin = interaction.origin.map {
      finds(inText: Array("\($0)".utf8), before: .max, at: "origin")
    }
    var found = (origin ?? []) + target + finds(in: request.fields, at: "request.headers")
    found += finds(in: request.trailers, at: "request.trailers")
    found += finds(inBody: request.body, request.fields, at: "request.body")
    if let body = interaction.largeRequestBody {
      found += try finds(in: body, request.fields, at: "request.body")
    }
    for head in response.interim {
      found += finds(inReason: head.reason, of: head.status, at: "response.interim")
      found += finds(in: head.fields, at: "response.interim")
    }
    found += finds(inReason: response.head.reason, of: response.head.status, at: "response.reason")
    found += finds(in: response.head.fields, at: "response.headers")
    found += finds(in: response.trailers, at: "response.trailers")
    for message in response.webSocket?.messages ?? [] {
      found += finds(inBody: message.bytes, HTTPFields(), at: "webSocket.messages")
    }
    if let reason = response.webSocket?.close?.reason {
      found += finds(inText: reason, before: .max, at: "webSocket.close")
    }
    switch response.body {
    case .bytes(let bytes): found += finds(inBody: bytes, response.head.fields, at: "response.body")
    case .file(let body): found += try finds(in: body, response.head.fields, at: "response.body")
    }
    // The file name is derived from the target, and its folder from the origin; they would reveal a secret.
    var file = target.isEmpty ? file : CassetteNames.masked(file)
    if origin?.isEmpty == false { file = "…/\(ForeignFile.leaf(of: file))" }
    return found.map { $0.inFile(file) }
  }

  /// The secrets in a body that recording did not hold: decoded as a whole if it has a content coding.
  private func finds(
    in body: BodyFile, _ fields: HTTPFields, at place: String
  ) throws(CassetteError) -> [SecretFind] {
    let coding = BodyCoding(fields)
    let reader = try body.open()
    let beginning = try reader.bytes(at: 0, count: BodyCoding.beginningBytes)
    if coding == .identity || coding.isMisnamed(beginningWith: beginning[...]) {
      return try finds(in: body, at: place)
    }
    guard body.size <= BodyCoding.maximumBytes else { return finds(forUnsearched: coding, at: place) }
    return finds(inBody: try reader.bytes(at: 0, count: body.size), fields, at: place)
  }

  /// The secrets in a body too large to hold, read as text, window by window.
  package func finds(in body: BodyFile, at place: String) throws(CassetteError) -> [SecretFind] {
    let reader = try body.open()
    var found: [SecretFind] = []
    var offset = 0
    while offset < reader.size {
      let window = try reader.bytes(at: offset, count: Self.windowBytes + Self.overlapBytes)
      let isLast = offset + window.count >= reader.size
      // A find that begins in the overlap is found in the next window.
      for find in finds(inText: window, before: isLast ? .max : Self.windowBytes, at: place)
      where !found.contains(where: { $0.secret == find.secret }) {
        found.append(find)
      }
      offset += isLast ? window.count : Self.windowBytes
    }
    return found
  }
}
