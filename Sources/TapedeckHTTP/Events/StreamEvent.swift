/// How a body holds a stream of events.
package enum EventStreamForm: Sendable {
  /// Server-sent events (WHATWG HTML §9.2).
  case serverSent
  /// One JSON text a line: NDJSON, JSON Lines.
  case lines

  private static let lineTypes: [StaticString] = [
    "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
  ]

  /// The form that `Content-Type` names; `nil` for any other type.
  package init?(_ fields: HTTPFields) {
    guard let value = fields.first("content-type") else { return nil }
    let essence = value.prefix { $0 != UInt8(ascii: ";") }
      .drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) }
    if ASCII.equal(essence, lowercase: "text/event-stream") {
      self = .serverSent
    } else if Self.lineTypes.contains(where: { ASCII.equal(essence, lowercase: $0) }) {
      self = .lines
    } else {
      return nil
    }
  }
}

/// A piece of a stream: an event, or what stands between events, with the bytes as which it came.
package struct StreamEvent: Sendable, Equatable {
  /// All of it, with the blank line or the line end that ends it.
  package let bytes: [UInt8]
  /// What a client gets, lines joined by LF; `nil` for what is no event, such as comments.
  package private(set) var data: [UInt8]?
  /// The type of the event; empty if it has none.
  package private(set) var name: [UInt8] = []
  package private(set) var id: [UInt8]?
  let form: EventStreamForm
  /// Whether a byte order mark at its beginning is that of the stream.
  private let isFirst: Bool

  package init(_ bytes: [UInt8], _ form: EventStreamForm, isFirst: Bool = false) {
    self.bytes = bytes
    self.form = form
    self.isFirst = isFirst
    switch form {
    case .lines:
      let line = EventLine.all(in: bytes, form, hasMark: isFirst).first?.content ?? []
      if line.contains(where: { !ASCII.isSpace($0) }) { data = Array(line) }
    case .serverSent:
      for line in EventLine.all(in: bytes, form, hasMark: isFirst) { take(line) }
      // The last line feed is not part of the data.
      if data != nil { data?.removeLast() }
    }
  }

  /// Bytes that are no event.
  init(unread bytes: [UInt8], _ form: EventStreamForm) {
    self.bytes = bytes
    self.form = form
    isFirst = false
  }

  private mutating func take(_ line: EventLine) {
    let (field, value) = line.field
    if field.elementsEqual("data".utf8) {
      data = (data ?? []) + value + [ASCII.lineFeed]
    } else if field.elementsEqual("event".utf8) {
      name = Array(value)
    } else if field.elementsEqual("id".utf8), !value.contains(0) {
      id = Array(value)
    }
  }

  /// The event with other data. Everything else stays as it was: the other lines, their order and their line ends.
  package func replacing(data new: [UInt8]) -> StreamEvent {
    var out: [UInt8] = []
    var isWritten = false
    for line in EventLine.all(in: bytes, form, hasMark: isFirst) {
      guard form == .lines || line.field.name.elementsEqual("data".utf8) else {
        out += line.mark + line.content + line.end
        continue
      }
      if isWritten { continue }
      isWritten = true
      out += line.mark
      if form == .lines {
        out += new + line.end
      } else {
        Self.append(data: new, end: Array(line.end), to: &out)
      }
    }
    return StreamEvent(out, form, isFirst: isFirst)
  }

  /// Writes a `data` line for each line of the data.
  package static func append(data: [UInt8], end: [UInt8], to out: inout [UInt8]) {
    for line in EventLine.all(in: data, .serverSent, isData: true) {
      out += Array("data: ".utf8) + line.content + end
    }
  }
}

/// A line of an event stream, without and with its end: CRLF, LF or CR.
struct EventLine {
  /// The byte order mark before the first line of a stream.
  let mark: ArraySlice<UInt8>
  let content: ArraySlice<UInt8>
  let end: ArraySlice<UInt8>

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The lines of a text. One that is data has a last line even if that is empty.
  /// - Parameter hasMark: whether a byte order mark at the beginning belongs to no line.
  static func all(
    in bytes: [UInt8], _ form: EventStreamForm, hasMark: Bool = false, isData: Bool = false
  ) -> [EventLine] {
    var lines: [EventLine] = []
    let start = hasMark && bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    var rest = bytes[start...]
    while !rest.isEmpty || isData && (lines.isEmpty || lines.last?.end.isEmpty == false) {
      let stop =
        rest.firstIndex { $0 == ASCII.lineFeed || form == .serverSent && $0 == ASCII.carriageReturn }
        ?? rest.endIndex
      var next = min(stop + 1, rest.endIndex)
      if next < rest.endIndex, rest[stop] == ASCII.carriageReturn, rest[next] == ASCII.lineFeed { next += 1 }
      // Lines of JSON end in LF, and a CR before it is no part of the text.
      let isReturn = form == .lines && stop > rest.startIndex && rest[stop - 1] == ASCII.carriageReturn
      let end = isReturn && next > stop ? stop - 1 : stop
      lines.append(
        EventLine(
          mark: lines.isEmpty ? bytes[..<start] : [], content: rest[..<end], end: rest[end..<next]))
      rest = rest[next...]
    }
    return lines
  }

  /// Name and value. A line without a colon is a name alone; one space after the colon does not count.
  var field: (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
    guard let colon = content.firstIndex(of: ASCII.colon) else { return (content, []) }
    let value = content[(colon + 1)...]
    return (content[..<colon], value.first == ASCII.space ? value.dropFirst() : value)
  }
}
