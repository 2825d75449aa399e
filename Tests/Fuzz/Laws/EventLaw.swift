import TapedeckHTTP

@testable import TapedeckOverrides

/// A stream of events, of which nothing is lost: however it is cut, the same events, and the same events when patches have
/// changed them. Input before the first NUL is what the patches do, if it is a list of edits.
enum EventLaw {
  private struct Heard: Equatable {
    var name: [UInt8]
    var id: [UInt8]?
    var data: [UInt8]
  }

  private static let edits = """
    [{"at": 2, "drop": true}, {"at": [3, 5], "before": [{"event": "e", "data": "x\\ny"}], "after": [{"json": {"a": 1}}]},
     {"jsonPath": {"$.n": 1}, "json": [{"set": "$.n", "value": 2}]}, {"data": {"contains": "a"}, "replace": {"text": "a", "with": "b\\n"}},
     {"at": 9, "cut": true}]
    """

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let (rules, stream) = parts(input)
    for form in [EventStreamForm.serverSent, .lines] {
      let ways = Pieces.ways(of: stream)
      let (events, bytes) = read(ways[0], form)
      let changed = patched(ways[0], rules, form)
      let heard = read([changed[...]], form)
      try require(bytes == stream, "bytes are lost")
      try require(heard.bytes == changed, "bytes of the changed stream are lost")
      try require(patched(ways[0], [], form) == stream, "no patch, and yet changed")
      for way in ways.dropFirst() {
        let other = read(way, form)
        try require(other.bytes == stream && other.events == events, "cut into \(way.count), other events")
        let now = read([patched(way, rules, form)[...]], form).events
        try require(now == heard.events, "cut into \(way.count), patched otherwise: \(now), \(heard.events)")
      }
    }
  }

  /// The rules, and the stream.
  private static func parts(_ input: [UInt8]) -> (rules: [RequestRule<Patch>], stream: [UInt8]) {
    let given = input.firstIndex(of: 0).flatMap { rules(Array(input[..<$0])) }
    guard let given, let end = input.firstIndex(of: 0) else { return (rules(Array(edits.utf8)) ?? [], input) }
    return (given, Array(input[(end + 1)...]))
  }

  private static func rules(_ edits: [UInt8]) -> [RequestRule<Patch>]? {
    guard let edits = try? JSONValue(parsing: edits) else { return nil }
    let overrides = Overrides()
    let path = JSONMember("path", JSONValue("/*"))
    guard (try? overrides.put(.patches, .object([path, JSONMember("events", edits)]))) != nil else {
      return nil
    }
    return overrides.patches.table.entries.map(\.rule)
  }

  private static func read(
    _ pieces: [ArraySlice<UInt8>], _ form: EventStreamForm
  ) -> (events: [Heard], bytes: [UInt8]) {
    var reader = EventStreamReader(form)
    var events: [Heard] = []
    var bytes: [UInt8] = []
    func take(_ event: StreamEvent) {
      bytes += event.bytes
      if let data = event.data { events.append(Heard(name: event.name, id: event.id, data: data)) }
    }
    for piece in pieces {
      Pieces.lend(piece) { reader.append($0) }
      while let event = reader.next() { take(event) }
    }
    if let rest = reader.finish() { take(rest) }
    return (events, bytes)
  }

  private static func patched(
    _ pieces: [ArraySlice<UInt8>], _ rules: [RequestRule<Patch>], _ form: EventStreamForm
  ) -> [UInt8] {
    var patching = EventPatching(rules, form)
    let changed = pieces.flatMap { piece in Pieces.lend(piece) { patching.append($0) } } + patching.finish()
    return Array(changed.joined())
  }
}
