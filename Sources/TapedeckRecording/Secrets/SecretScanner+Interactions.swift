package import TapedeckHTTP
package import TapedeckRedaction

/// Exchanges by their parts, with the same words for places as misses have.
extension SecretScanner {
  /// What is read at once of a body that is too large to be held.
  private static let windowBytes = 1 << 20
  /// How far windows overlap: the longest secret that is seen whole.
  private static let overlapBytes = 16 * 1024

  /// - Parameter file: the name of the interaction's file.
  package func finds(in interaction: Interaction, file: String) throws(CassetteError) -> [SecretFind] {
    let (request, response) = (interaction.request, interaction.response)
    let target = scan(target: request.target)
    var found = target + scan(request.fields, at: "request.headers")
    found += scan(request.trailers, at: "request.trailers")
    found += scan(body: request.body, request.fields, at: "request.body")
    if let body = interaction.largeRequestBody { found += try scan(body, at: "request.body") }
    for head in response.interim { found += scan(head.fields, at: "response.interim") }
    found += scan(response.head.fields, at: "response.headers")
    found += scan(response.trailers, at: "response.trailers")
    switch response.body {
    case .bytes(let bytes): found += scan(body: bytes, response.head.fields, at: "response.body")
    case .file(let body): found += try scan(body, at: "response.body")
    }
    // The name is made of the target, and so would tell what is not to be told.
    let file = target.isEmpty ? file : CassetteNames.masked(file)
    return found.map { SecretFind(file: file, $0) }
  }

  private func scan(target: [UInt8]) -> [Placed] {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    let decoded = DecodedText(path, .path).bytes
    return placed(scan(decoded), in: decoded, at: "request.target")
      + scan(pairs: target[path.endIndex...].dropFirst(), at: "request.target")
  }

  // MARK: Bodies

  /// A body, taken out of its coding if it has one that can be opened.
  package func scan(body: [UInt8], _ fields: HTTPFields, at place: String) -> [Placed] {
    guard !body.isEmpty, let text = BodyCoding(fields).decoded(body[...]) else { return [] }
    switch MediaType(fields).kind {
    case .form: return scan(pairs: text[...], at: place)
    case .multipart(let boundary):
      if let parts = MultipartBody(text, boundary: boundary)?.parts {
        return parts.flatMap { scan(part: $0, at: place) }
      }
    case .json, .other: break
    }
    return scan(text, named: [], at: place)
  }

  private func scan(part: ArraySlice<UInt8>, at place: String) -> [Placed] {
    guard let head = ByteSearch.first(Array("\r\n\r\n".utf8), in: part) else { return [] }
    let content = Array(part[(head + 4)...])
    guard let start = ByteSearch.first(Array(" name=".utf8), in: part[..<head]) else {
      return scan(content, named: [], at: place)
    }
    let name = part[(start + 6)..<head].drop { $0 == UInt8(ascii: "\"") }.prefix {
      $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ";")
    }
    return scan(content, named: Array(name), at: "\(place) \(String(decoding: name, as: UTF8.self))")
  }

  /// A body too large to be held, window by window, as text.
  package func scan(_ body: BodyFile, at place: String) throws(CassetteError) -> [Placed] {
    let reader = try body.open()
    var found: [Placed] = []
    var offset = 0
    while offset < reader.size {
      let window = try reader.bytes(at: offset, count: Self.windowBytes + Self.overlapBytes)
      let isLast = offset + window.count >= reader.size
      // What begins in the overlap is found in the next window.
      let raws = scan(window[...]).filter { isLast || $0.range.lowerBound < Self.windowBytes }
      for one in placed(raws, in: window[...], at: place)
      where !found.contains(where: { $0.secret == one.secret }) {
        found.append(one)
      }
      offset += isLast ? window.count : Self.windowBytes
    }
    return found
  }
}
