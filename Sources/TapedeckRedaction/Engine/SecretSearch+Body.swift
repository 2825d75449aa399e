package import TapedeckHTTP

package struct RedactedBody {
  package var bytes: [UInt8]
  package var finds: Finds?
  /// Whether the body was decoded and encoded again; then the ranges of `finds` do not refer to `bytes`.
  package var isRecoded = false
}

/// Searches bodies by form: JSON by member, forms by pair, multipart by part, other text by word.
extension SecretSearch {
  /// Redaction reads longer bodies as plain text.
  package static let maximumStructuredBytes = 4 << 20
  /// The number of leading bytes that decide whether a body is text.
  private static let sniffedBytes = 1024

  package func body(_ body: [UInt8], fields: HTTPFields) -> RedactedBody {
    changed(body, fields) { finds(inBody: $0, type: MediaType(fields)) }
  }

  /// The body without copies of known secrets.
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
    if coding != .identity, let recoded = recoded(body, coding, search) { return recoded }
    let finds = search(body[...])
    if finds.isEmpty { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: finds.applied(to: body[...]), finds: finds)
  }

  /// Decodes a body, and encodes it again if it has secrets or placeholders: equal text gives equal bytes.
  /// `nil` if the body is text as it stands, whatever its field says.
  private func recoded(
    _ body: [UInt8], _ coding: BodyCoding, _ search: (ArraySlice<UInt8>) -> Finds
  ) -> RedactedBody? {
    guard let text = coding.decoded(body[...]) else {
      if coding.isMisnamed(body[...]) { return nil }
      unopened.insert(coding.label)
      return RedactedBody(bytes: body)
    }
    let finds = search(text[...])
    guard !finds.isEmpty || !Placeholder.ranges(in: text[...]).isEmpty,
      let bytes = coding.encoded(finds.applied(to: text[...])), bytes != body
    else { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: bytes, finds: finds, isRecoded: true)
  }

  /// The secrets in a body that has no content coding.
  func finds(inBody body: ArraySlice<UInt8>, type: MediaType) -> Finds {
    let isStructured = reports || body.count <= Self.maximumStructuredBytes
    if isStructured {
      switch type.kind {
      case .form: return pairs(body)
      case .multipart(let boundary):
        if let parts = MultipartBody(Array(body), boundary: boundary)?.parts { return finds(inParts: parts) }
      case .json, .other: break
      }
    }
    guard reports || Self.isText(body, type: type) else { return Finds() }
    return isStructured ? value(body, depth: 0) : text(body, depth: 0)
  }

  /// Whether a body is text, by its type or its beginning.
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
        finds.add(self.finds(inPartHead: line))
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        try? fields.append(name: line[..<colon], value: line[(colon + 1)...].prefix { $0 != 0x0D })
      }
      finds.add(self.finds(inPart: part[(head + 4)...], fields))
    }
    return finds
  }

  /// The secrets in a line before a part's content: a file name may be one, the names of fields are not.
  private func finds(inPartHead line: ArraySlice<UInt8>) -> Finds {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return Finds() }
    let value = line[(colon + 1)...]
    guard !ASCII.equal(line[..<colon], lowercase: "content-disposition") else {
      let names = ByteSearch.all(Array("filename".utf8), in: value).first
      return names.map { text(value[$0.upperBound...], depth: 0).placed(at: " filename") } ?? Finds()
    }
    return finds(in: value.drop(while: ASCII.isBlank), named: line[..<colon], in: .header)
  }

  private func finds(inPart content: ArraySlice<UInt8>, _ fields: HTTPFields) -> Finds {
    let type = MediaType(fields)
    guard let disposition = fields.first("content-disposition"),
      let start = ByteSearch.first(Array(" name=".utf8), in: disposition)
    else { return finds(inBody: content, type: type) }
    guard reports || Self.isText(content, type: type) else { return Finds() }
    let name = disposition[TextScan.value(in: disposition, from: start + 6)]
    return finds(in: content, named: name, in: .pair).placed(at: Self.label(name), named: name)
  }
}
