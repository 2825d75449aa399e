internal import TapedeckHTTP
internal import TapedeckRecording

extension StoredInteraction {
  /// What a client gets that has had a part of a recorded stream of events, and says so with `Last-Event-ID` (WHATWG HTML
  /// §9.2.4): what came after that event. `nil` if it is no such stream, or if the recorded request said the same, whose
  /// response is the rest already.
  func rest(for request: HTTPRequest) throws(CassetteError) -> Interaction? {
    guard let id = request.fields.first("last-event-id"), !id.isEmpty else { return nil }
    let interaction = try read()
    guard interaction.request.fields.first("last-event-id")?.elementsEqual(id) != true else { return nil }
    return interaction.rest(after: id)
  }
}

extension Interaction {
  /// - Returns: `nil` if no event has the id.
  func rest(after id: ArraySlice<UInt8>) -> Interaction? {
    guard response.head.status == 200, EventStreamForm(response.head.fields) == .serverSent,
      !response.head.fields.contains("content-encoding"), case .bytes(let body) = response.body
    else { return nil }
    var reader = EventStreamReader(.serverSent)
    body.withUnsafeBytes { reader.append($0) }
    var (end, found) = (0, 0)
    while let event = reader.next() {
      end += event.bytes.count
      if event.data != nil, event.id?.elementsEqual(id) == true { found = end }
    }
    guard found > 0 else { return nil }
    var rest = self
    rest.response.body = .bytes(Array(body[found...]))
    if let sizes = response.chunkSizes { rest.dropChunks(sizes, upTo: found) }
    return rest
  }

  /// The chunks of what is left, and their times from the one in which it begins.
  private mutating func dropChunks(_ sizes: [Int], upTo start: Int) {
    let offsets = volatile.chunkOffsetsMilliseconds ?? []
    var (place, kept, times): (Int, [Int], [Double]) = (0, [], [])
    var first = 0.0
    for (index, size) in sizes.enumerated() {
      place += size
      let time = offsets.indices.contains(index) ? offsets[index] : 0
      if place <= start {
        first = time
        continue
      }
      if kept.isEmpty, place - size < start { first = time }
      kept.append(min(size, place - start))
      times.append(max(0, time - first))
    }
    response.chunkSizes = kept
    volatile.chunkOffsetsMilliseconds = offsets.count == sizes.count ? times : nil
    if let duration = volatile.durationMilliseconds {
      volatile.durationMilliseconds = max(0, duration - first)
    }
  }
}
