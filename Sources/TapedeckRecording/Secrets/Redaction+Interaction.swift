import TapedeckHTTP
public import TapedeckRedaction

extension Redaction {
  /// The exchange without its secrets, and how many values were hidden.
  public func redacted(_ interaction: Interaction) -> (Interaction, count: Int) {
    let hidden = redacted(interaction, memory: nil)
    return (hidden.interaction, hidden.count)
  }

  /// What redacting an exchange came to.
  package struct Result {
    var interaction: Interaction
    var count = 0
    /// Content codings that could not be opened.
    var unopened: Set<String> = []
  }

  /// - Parameter memory: what earlier exchanges have brought to light; learns what this one does.
  package func redacted(_ interaction: Interaction, memory: SecretMemory?) -> Result {
    guard let policy else { return Result(interaction: interaction) }
    let pass = RedactionPass(policy, memory: memory)
    let hidden = pass.redacted(interaction)
    memory?.add(pass.known)
    return Result(interaction: hidden, count: pass.count, unopened: pass.unopened)
  }
}

extension RedactionPass {
  package func redacted(_ interaction: Interaction) -> Interaction {
    var result = interaction
    result.request = redacted(interaction.request)
    result.response.head.fields = redacted(interaction.response.head.fields)
    result.response.trailers = redacted(interaction.response.trailers)
    for index in result.response.interim.indices {
      result.response.interim[index].fields = redacted(interaction.response.interim[index].fields)
    }
    if case .bytes(let bytes) = interaction.response.body {
      let hidden = body(bytes, fields: interaction.response.head.fields)
      result.setResponseBody(hidden)
    }
    removeCopies(from: &result.request, includingFields: true)
    removeCopies(from: &result.response.head.fields)
    removeCopies(from: &result.response.trailers)
    for index in result.response.interim.indices {
      removeCopies(from: &result.response.interim[index].fields)
    }
    if case .bytes(let bytes) = result.response.body {
      result.setResponseBody(copyless(bytes, fields: interaction.response.head.fields))
    }
    result.correctFields(of: interaction)
    return result
  }
}

extension Interaction {
  /// Gives the answer another body, cut into chunks where the old one was.
  fileprivate mutating func setResponseBody(_ hidden: RedactedBody) {
    guard let edits = hidden.edits else { return }
    response.body = .bytes(hidden.bytes)
    guard let sizes = response.chunkSizes else { return }
    let mapped = hidden.isRecoded ? [hidden.bytes.count] : edits.mappedSizes(sizes)
    response.chunkSizes = mapped.filter { $0 > 0 }
    if let offsets = volatile.chunkOffsetsMilliseconds, offsets.count == mapped.count {
      volatile.chunkOffsetsMilliseconds = zip(offsets, mapped).filter { $0.1 > 0 }.map(\.0)
    } else {
      volatile.chunkOffsetsMilliseconds = nil
    }
  }

  /// Makes the fields that speak of a body tell the truth about it where it has changed: lengths are corrected, sums
  /// over the original bytes go.
  fileprivate mutating func correctFields(of original: Interaction) {
    if request.body != original.request.body {
      request.fields.describe(bodyOf: request.body.count)
    }
    var isSpooledChanged = false
    if case .file(let file) = response.body, let length = response.head.fields.first("content-length") {
      isSpooledChanged = !length.elementsEqual(String(file.size).utf8)
    }
    if response.body != original.response.body || isSpooledChanged {
      response.head.fields.describe(bodyOf: response.body.count)
    }
  }
}
