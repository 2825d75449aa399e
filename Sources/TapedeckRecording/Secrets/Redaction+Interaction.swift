import TapedeckHTTP
public import TapedeckRedaction

extension Redaction {
  /// The interaction without its secrets, and the number of hidden values.
  public func redacted(_ interaction: Interaction) -> (Interaction, count: Int) {
    let result = redacted(interaction, memory: nil)
    return (result.interaction, result.count)
  }

  /// - Parameter memory: the interaction's secrets are added.
  /// - Returns: also the content codings that could not be opened.
  package func redacted(
    _ interaction: Interaction, memory: SecretMemory?
  ) -> (interaction: Interaction, count: Int, unopened: Set<String>) {
    var result = interaction
    let (count, unopened) = redact(&result, memory: memory)
    return (result, count, unopened)
  }

  package func redact(
    _ interaction: inout Interaction, memory: SecretMemory?
  ) -> (count: Int, unopened: Set<String>) {
    guard let policy else { return (0, []) }
    let search = SecretSearch(policy, known: memory?.givenSecrets ?? KnownSecrets())
    search.redact(&interaction)
    memory?.add(search.known)
    return (search.count, search.unopened)
  }
}

extension SecretSearch {
  package func redacted(_ interaction: Interaction) -> Interaction {
    var result = interaction
    redact(&result)
    return result
  }

  package func redact(_ interaction: inout Interaction) {
    let (requestBody, responseBody) = (interaction.request.body, interaction.response.body)
    let fields = interaction.response.head.fields
    redact(&interaction.request)
    interaction.changeResponseFields { redact(&$0) }
    interaction.changeReasons { text($0, depth: 0) }
    if case .bytes(let bytes) = responseBody { interaction.setResponseBody(body(bytes, fields: fields)) }
    interaction.changeMessages { body($0, fields: HTTPFields()).bytes }
    if hasCopies { interaction = copyless(interaction) }
    interaction.correctFields(where: requestBody, responseBody)
  }

  /// The interaction without copies of known secrets.
  package func copyless(_ interaction: Interaction) -> Interaction {
    var result = interaction
    removeCopies(from: &result.request, includingFields: true)
    result.changeResponseFields { removeCopies(from: &$0) }
    if hasCopies {
      result.changeReasons { reason in
        let finds = copies(in: reason)
        count += finds.count
        return finds
      }
    }
    if case .bytes(let bytes) = result.response.body {
      result.setResponseBody(copyless(bytes, fields: interaction.response.head.fields))
    }
    result.changeMessages { copyless($0, fields: HTTPFields()).bytes }
    result.correctFields(where: interaction.request.body, interaction.response.body)
    return result
  }
}

extension Interaction {
  fileprivate mutating func changeResponseFields(_ change: (inout HTTPFields) -> Void) {
    change(&response.head.fields)
    change(&response.trailers)
    for index in response.interim.indices { change(&response.interim[index].fields) }
  }

  /// Applies what `find` finds in reason phrases other than the registered ones.
  fileprivate mutating func changeReasons(_ find: (ArraySlice<UInt8>) -> Finds) {
    response.head.changeReason(find)
    for index in response.interim.indices { response.interim[index].changeReason(find) }
  }

  fileprivate mutating func setResponseBody(_ body: RedactedBody) {
    guard let finds = body.finds else { return }
    response.body = .bytes(body.bytes)
    mapChunks { body.isRecoded ? [body.bytes.count] : finds.mappedSizes($0) }
  }

  mutating func setResponseBody(_ file: BodyFile, chunks map: ([Int]) -> [Int]) {
    response.body = .file(file)
    mapChunks(map)
  }

  private mutating func mapChunks(_ map: ([Int]) -> [Int]) {
    guard let sizes = response.chunkSizes else { return }
    let mapped = map(sizes)
    response.chunkSizes = mapped.filter { $0 > 0 }
    if let offsets = volatile.chunkOffsetsMilliseconds, offsets.count == mapped.count {
      volatile.chunkOffsetsMilliseconds = zip(offsets, mapped).filter { $0.1 > 0 }.map(\.0)
    } else {
      volatile.chunkOffsetsMilliseconds = nil
    }
  }

  /// Adapts the fields to a body that is no longer the original: corrects lengths, removes digests of the original bytes.
  fileprivate mutating func correctFields(where requestBody: [UInt8], _ responseBody: RecordedBody) {
    if request.body != requestBody {
      request.fields.describe(bodyOf: request.body.count)
    }
    var isSpooledChanged = false
    if case .file(let file) = response.body, let length = response.head.fields.first("content-length") {
      isSpooledChanged = !length.elementsEqual(String(file.size).utf8)
    }
    if response.body != responseBody || isSpooledChanged {
      response.head.fields.describe(bodyOf: response.body.count)
    }
  }
}

extension HTTPResponseHead {
  fileprivate mutating func changeReason(_ find: (ArraySlice<UInt8>) -> Finds) {
    guard !HTTPStatus.isRegistered(reason, of: status) else { return }
    let finds = find(reason[...])
    if !finds.isEmpty { reason = finds.applied(to: reason[...]) }
  }
}

extension HTTPFields {
  mutating func describe(bodyOf count: Int) {
    removeContentDigests()
    for (index, field) in enumerated() where field.isNamed("content-length") {
      try? replaceValue(at: index, with: Array(String(count).utf8))
    }
  }
}
