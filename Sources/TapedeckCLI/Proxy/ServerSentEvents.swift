internal import TapedeckHTTP

/// An event of a stream (HTML, Server-sent events §9.2).
struct ServerSentEvent: Equatable {
  var name = "message"
  var data = ""
}

/// Reads events from bytes that may be cut anywhere, as the admin API writes them: with line feeds.
struct ServerSentEvents {
  private var rest: [UInt8] = []

  /// The events that these bytes complete.
  mutating func events(in bytes: [UInt8]) -> [ServerSentEvent] {
    rest += bytes
    var events: [ServerSentEvent] = []
    var event = ServerSentEvent()
    var (start, eventStart) = (rest.startIndex, rest.startIndex)
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[start..<end]
      start = end + 1
      if line.isEmpty {
        if !event.data.isEmpty { events.append(event) }
        (event, eventStart) = (ServerSentEvent(), start)
      } else if let value = Self.value(of: "event", in: line) {
        event.name = value
      } else if let value = Self.value(of: "data", in: line) {
        event.data += (event.data.isEmpty ? "" : "\n") + value
      }
    }
    rest.removeSubrange(..<eventStart)
    return events
  }

  private static func value(of field: String, in line: ArraySlice<UInt8>) -> String? {
    guard line.starts(with: "\(field):".utf8) else { return nil }
    let value = line.dropFirst(field.utf8.count + 1)
    return String(decoding: value.first == UInt8(ascii: " ") ? value.dropFirst() : value, as: UTF8.self)
  }
}
