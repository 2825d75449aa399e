package import TapedeckHTTP

/// A body without its secrets.
package struct RedactedBody {
  package var bytes: [UInt8]
  /// What was changed; nil when nothing was.
  package var edits: TextEdits?
  /// Whether it was taken out of a content coding and put into it again, so that `edits` are not those of `bytes`.
  package var isRecoded = false
}

/// Bodies, each in its own form: JSON by its members, forms by their pairs, multipart by its parts, texts by their
/// words. What is no text is left alone.
extension RedactionPass {
  /// Above this a body is read as text, whatever it is.
  package static let maximumStructuredBytes = 4 << 20
  /// How many of the first bytes tell text from other things.
  private static let sniffedBytes = 1024

  package func body(_ body: [UInt8], fields: HTTPFields) -> RedactedBody {
    changed(body, fields) { edits(ofBody: $0, type: MediaType(fields)) }
  }

  /// The body without further copies of what is known.
  package func copyless(_ body: [UInt8], fields: HTTPFields) -> RedactedBody {
    guard hasCopies else { return RedactedBody(bytes: body) }
    return changed(body, fields) { text in
      guard Self.isText(text, type: MediaType(fields)) else { return TextEdits() }
      let edits = copies(in: text)
      countCopies(edits.count)
      return edits
    }
  }

  private func changed(
    _ body: [UInt8], _ fields: HTTPFields, _ edits: (ArraySlice<UInt8>) -> TextEdits
  ) -> RedactedBody {
    guard !body.isEmpty else { return RedactedBody(bytes: body) }
    let coding = BodyCoding(fields)
    if coding != .identity { return recoded(body, coding, edits) }
    let found = edits(body[...])
    if found.isEmpty { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: found.applied(to: body[...]), edits: found)
  }

  /// Takes a body out of its coding and puts it into it again, where something in it is hidden, or was already: the
  /// same text must always come to the same bytes.
  private func recoded(
    _ body: [UInt8], _ coding: BodyCoding, _ edits: (ArraySlice<UInt8>) -> TextEdits
  ) -> RedactedBody {
    guard let text = coding.decoded(body[...]) else {
      noteUnopened(coding)
      return RedactedBody(bytes: body)
    }
    let found = edits(text[...])
    guard !found.isEmpty || !Placeholder.ranges(in: text[...]).isEmpty,
      let bytes = coding.encoded(found.applied(to: text[...])), bytes != body
    else { return RedactedBody(bytes: body) }
    return RedactedBody(bytes: bytes, edits: found, isRecoded: true)
  }

  private func edits(ofBody body: ArraySlice<UInt8>, type: MediaType) -> TextEdits {
    if body.count <= Self.maximumStructuredBytes {
      switch type.kind {
      case .form: return pairs(body)
      case .multipart(let boundary):
        if let parts = MultipartBody(Array(body), boundary: boundary)?.parts { return self.parts(parts) }
      case .json, .other: break
      }
    }
    guard Self.isText(body, type: type) else { return TextEdits() }
    return body.count <= Self.maximumStructuredBytes ? value(body, depth: 0) : text(body, depth: 0)
  }

  /// Whether a body is text: by its type or by how it begins.
  package static func isText(_ body: ArraySlice<UInt8>, type: MediaType) -> Bool {
    if type.isText { return true }
    let beginning = body.prefix(sniffedBytes)
    return beginning.allSatisfy(ASCII.isText) || type.isMultipart
  }

  // MARK: Multipart

  /// The parts of a multipart body: what a part's name says, and its type.
  private func parts(_ parts: [ArraySlice<UInt8>]) -> TextEdits {
    var edits = TextEdits()
    for part in parts {
      guard let head = ByteSearch.first(Array("\r\n\r\n".utf8), in: part) else { continue }
      var fields = HTTPFields()
      for line in part[..<head].split(separator: 0x0A) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        try? fields.append(name: line[..<colon], value: line[(colon + 1)...].prefix { $0 != 0x0D })
      }
      edits.add(self.part(part[(head + 4)...], fields))
    }
    return edits
  }

  private func part(_ content: ArraySlice<UInt8>, _ fields: HTTPFields) -> TextEdits {
    let type = MediaType(fields)
    if let disposition = fields.first("content-disposition"),
      let name = ByteSearch.first(Array(" name=".utf8), in: disposition)
    {
      let range = TextScan.value(in: disposition, from: name + 6)
      guard Self.isText(content, type: type) else { return TextEdits() }
      return edits(of: content, named: disposition[range], in: .pair)
    }
    return edits(ofBody: content, type: type)
  }
}
