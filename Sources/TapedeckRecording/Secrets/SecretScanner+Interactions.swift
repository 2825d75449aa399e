import TapedeckHTTP
package import TapedeckRedaction

/// Interactions part by part. Places have the words that misses use.
extension SecretScanner {
  /// How much of a body is read at once that is too large to be held.
  private static let windowBytes = 1 << 20
  /// How far windows overlap: the longest secret that is seen whole.
  private static let overlapBytes = 16 * 1024

  /// - Parameter file: the name of the interaction's file.
  package func finds(in interaction: Interaction, file: String) throws(CassetteError) -> [SecretFind] {
    let (request, response) = (interaction.request, interaction.response)
    let target = finds(inTarget: request.target, at: "request.target")
    var found = target + finds(in: request.fields, at: "request.headers")
    found += finds(in: request.trailers, at: "request.trailers")
    found += finds(inBody: request.body, request.fields, at: "request.body")
    if let body = interaction.largeRequestBody { found += try finds(in: body, at: "request.body") }
    for head in response.interim { found += finds(in: head.fields, at: "response.interim") }
    found += finds(in: response.head.fields, at: "response.headers")
    found += finds(in: response.trailers, at: "response.trailers")
    switch response.body {
    case .bytes(let bytes): found += finds(inBody: bytes, response.head.fields, at: "response.body")
    case .file(let body): found += try finds(in: body, at: "response.body")
    }
    // The file's name is made of the target, and would give its secret away.
    let file = target.isEmpty ? file : CassetteNames.masked(file)
    return found.map { $0.inFile(file) }
  }

  /// The secrets in a body too large to be held, which is read as text, window by window.
  package func finds(in body: BodyFile, at place: String) throws(CassetteError) -> [SecretFind] {
    let reader = try body.open()
    var found: [SecretFind] = []
    var offset = 0
    while offset < reader.size {
      let window = try reader.bytes(at: offset, count: Self.windowBytes + Self.overlapBytes)
      let isLast = offset + window.count >= reader.size
      // What begins in the overlap is found in the next window.
      for find in finds(inText: window, before: isLast ? .max : Self.windowBytes, at: place)
      where !found.contains(where: { $0.secret == find.secret }) {
        found.append(find)
      }
      offset += isLast ? window.count : Self.windowBytes
    }
    return found
  }
}
