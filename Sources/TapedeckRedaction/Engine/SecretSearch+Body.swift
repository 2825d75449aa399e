package import TapedeckHTTP

/// A body without its secrets.
package struct RedactedBody {
  package var bytes: [UInt8]
  /// What was replaced; `nil` when nothing was.
  package var finds: Finds?
  /// Whether the body was taken out of a content coding and encoded again, so that the ranges of `finds` are not those
  /// of `bytes`.
  package var isRecoded = false
}

/// Bodies by their form: JSON by its members, forms by their pairs, multipart by its parts, texts by their words.
extension SecretSearch {
  /// Redaction reads longer bodies as text, whatever their form.
  package static let maximumStructuredBytes = 4 << 20
  /// How many of the first bytes decide whether a body is text.
  private static let sniffedBytes = 1024

  package func body(_ body: [UInt8], fields: HTTPFields) -> RedactedBody {
    changed(body, fields) { finds(inBody: $0, type: MediaType(fields)) }
  }

  /// The body without further copies of known secrets.
  package func copyless(_ body: [UInt8], fields: HTTPFields) -> RedactedBody {
    guard hasCopies else { return RedactedBody(bytes: body) }
    return changed(body, fields) { text in
      guard Self.isText(text, type: MediaType(fields)) else { return Finds() }
      let finds = copies(in: text)
      count += finds.count
      return finds
    }
  }

  private func changed(
    _ body: [UInt8], _ fields: HTTPFields, _ search: (ArraySlice<UInt8>) -> Finds
  ) -> RedactedBody {
    guard !body.isEmpty else { return RedactedBody(bytes: body) }
    let coding = BodyCoding(fields)
    if coding != .identity { return recoded(body, coding, search) }
    let finds = search(body[...])
    if finds.isEmpty { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: finds.applied(to: body[...]), finds: finds)
  }

  /// Decodes a body and encodes it again if it has secrets, or placeholders of secrets: the same text must always come
  /// to the same bytes.
  private func recoded(
    _ body: [UInt8], _ coding: BodyCoding, _ search: (ArraySlice<UInt8>) -> Finds
  ) -> RedactedBody {
    guard let text = coding.decoded(body[...]) else {
      unopened.insert(coding.name)
      return RedactedBody(bytes: body)
    }
    let finds = search(text[...])
    guard !finds.isEmpty || !Placeholder.ranges(in: text[...]).isEmpty,
      let bytes = coding.encoded(finds.applied(to: text[...])), bytes != body
    else { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: bytes, finds: finds, isRecoded: true)
  }

  /// The secrets in a body that is in no coding.
  func finds(inBody body: ArraySlice<UInt8>, type: MediaType) -> Finds {
    let isStructured = body.count <= thresholds.maximumStructuredBytes
    if isStructured {
      switch type.kind {
      case .form: return pairs(body)
      case .multipart(let boundary):
        if let parts = MultipartBody(Array(body), boundary: boundary)?.parts { return finds(inParts: parts) }
      case .json, .other: break
      }
    }
    guard thresholds.readsBinary || Self.isText(body, type: type) else { return Finds() }
    return isStructured ? value(body, depth: 0) : text(body, depth: 0)
  }

  /// Whether a body is text, by its type or by how it begins.
  package static func isText(_ body: ArraySlice<UInt8>, type: MediaType) -> Bool {
    type.isText || type.isMultipart || body.prefix(sniffedBytes).allSatisfy(ASCII.isText)
  }

  // MARK: Multipart

  private func finds(inParts parts: [ArraySlice<UInt8>]) -> Finds {
    var finds = Finds()
    for part in parts {
      guard let head = ByteSearch.first(Array("\r\n\r\n".utf8), in: part) else { continue }
      var fields = HTTPFields()
      for line in part[..<head].split(separator: 0x0A) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        try? fields.append(name: line[..<colon], value: line[(colon + 1)...].prefix { $0 != 0x0D })
      }
      finds.add(self.finds(inPart: part[(head + 4)...], fields))
    }
    return finds
  }

  private func finds(inPart content: ArraySlice<UInt8>, _ fields: HTTPFields) -> Finds {
    let type = MediaType(fields)
    guard let disposition = fields.first("content-disposition"),
      let start = ByteSearch.first(Array(" name=".utf8), in: disposition)
    else { return finds(inBody: content, type: type) }
    guard thresholds.readsBinary || Self.isText(content, type: type) else { return Finds() }
    let name = disposition[TextScan.value(in: disposition, from: start + 6)]
    return finds(in: content, named: name, in: .pair).placed(at: Self.label(name), named: name)
  }
}
