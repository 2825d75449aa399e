import TapedeckHTTP

/// Scanning whole files: a cassette's interactions by their parts, other JSON by its members, all else as text.
extension SecretScanner {
  private static let maximumJSONBytes = 64 << 20

  /// - Parameter file: its name, for what is told.
  func finds(in bytes: [UInt8], file: String) -> [SecretFind] {
    if let first = bytes.first(where: { !Bytes.isSpace($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      bytes.count <= Self.maximumJSONBytes, let tree = try? JSONValue(parsing: bytes)
    {
      return finds(in: tree, file: file)
    }
    var lines = LineCounter(bytes)
    return scan(bytes[...]).map { raw in
      SecretFind(
        file: file, line: lines.line(of: raw.range.lowerBound), place: nil, looksLike: raw.looksLike,
        secret: Array(bytes[raw.range]))
    }
  }

  func finds(in tree: JSONValue, file: String) -> [SecretFind] {
    let placed =
      Self.isInteraction(tree) ? scan(interaction: tree) : scan(tree, at: "$")
    return placed.map {
      SecretFind(file: file, place: $0.place, looksLike: $0.looksLike, secret: $0.secret)
    }
  }

  private static func isInteraction(_ tree: JSONValue) -> Bool {
    tree["request"]?["target"] != nil && tree["response"]?["status"] != nil
  }

  private func scan(interaction tree: JSONValue) -> [Placed] {
    var found: [Placed] = []
    for side in ["request", "response"] {
      guard let message = tree[side] else { continue }
      if let target = message["target"]?.text { found += scan(target: Array(target.utf8)) }
      for list in ["headers", "trailers"] {
        if let fields = message[list] { found += scan(fields, at: "\(side).\(list)") }
      }
      if let body = message["body"] { found += scan(body: body, at: "\(side).body") }
    }
    return found
  }

  private func scan(target: [UInt8]) -> [Placed] {
    let decoded = DecodedText(target[...], .percent).bytes
    return placed(scan(target[...]), in: target[...], at: "request.target")
      + (decoded.elementsEqual(target) ? [] : placed(scan(decoded), in: decoded, at: "request.target"))
  }

  private func scan(body: JSONValue, at place: String) -> [Placed] {
    if let json = body["json"] { return scan(json, at: "\(place) $") }
    if let lines = body["text"]?.array {
      let text = lines.flatMap { $0.text.map { Array($0.utf8) } ?? [] }
      return scan(document: text, at: place)
    }
    if let base64 = body["base64"]?.text, let bytes = Base64.decode(Array(base64.utf8)) {
      return scan(document: bytes, at: place)
    }
    return []
  }

  /// A body as bytes: JSON by its members, all else as text.
  func scan(document: [UInt8], at place: String) -> [Placed] {
    if let first = document.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let tree = try? JSONValue(parsing: document)
    {
      return scan(tree, at: "\(place) $")
    }
    return placed(scan(document[...]), in: document[...], at: place)
  }
}

/// Counts lines on the way forward.
private struct LineCounter {
  private let bytes: [UInt8]
  private var offset = 0
  private var number = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func line(of place: Int) -> Int {
    if place < offset { (offset, number) = (0, 1) }
    number += bytes[offset..<place].count { $0 == 0x0A }
    offset = place
    return number
  }
}
