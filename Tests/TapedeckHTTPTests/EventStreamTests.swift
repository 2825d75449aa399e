import TestSupport
import Testing

@testable import TapedeckHTTP

private struct Heard: Equatable {
  var pieces: [[UInt8]] = []
  var events: [String] = []
}

/// What is read of a stream that comes in these pieces: events as `name|id|data`.
private func heard(_ pieces: [ArraySlice<UInt8>], _ form: EventStreamForm = .serverSent) -> Heard {
  var reader = EventStreamReader(form)
  var heard = Heard()
  func take(_ event: StreamEvent?) -> Bool {
    guard let event else { return false }
    heard.pieces.append(event.bytes)
    if let data = event.data {
      let parts = [event.name, event.id ?? [], data].map { String(decoding: $0, as: UTF8.self) }
      heard.events.append(parts.joined(separator: "|"))
    }
    return true
  }
  for piece in pieces {
    Array(piece).withUnsafeBytes { reader.append($0) }
    while take(reader.next()) {}
  }
  _ = take(reader.finish())
  return heard
}

private func whole(_ text: String) -> [ArraySlice<UInt8>] { [Array(text.utf8)[...]] }

private func bytewise(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] { bytes.indices.map { bytes[$0...$0] } }

/// The examples of WHATWG HTML §9.2.6, and what its rules say of others.
private let rows: [(text: String, events: [String])] = [
  ("data: YHOO\ndata: +2\ndata: 10\n\n", ["||YHOO\n+2\n10"]),
  (
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
    ["|1|first event", "||second event"]
  ),
  ("data\n\ndata\ndata\n\ndata:", ["||", "||\n"]),
  ("data:test\n\ndata: test\n\n", ["||test", "||test"]),
  ("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n", ["add||73857293", "remove||2153"]),
  ("event: nothing\n\n", []), ("\n\n\n", []), ("", []),
  ("\u{FEFF}data: marked\n\n\u{FEFF}data: unknown\n\n", ["||marked"]), ("data: \u{FEFF}\n\n", ["||\u{FEFF}"]),
  ("id: a\0b\ndata: x\n\n", ["||x"]), ("retry: soon\nfoo: bar\nDATA: x\ndata: y\n\n", ["||y"]),
  ("data:a\n\n\n\ndata:b\n\n", ["||a", "||b"]), ("data: ünï 🎞️\n\n", ["||ünï 🎞️"]),
]

@Test(arguments: rows)
func `server-sent events mean what the standard says, at every line end and however they are cut`(
  _ row: (text: String, events: [String])
) {
  for end in ["\n", "\r\n", "\r"] {
    let text = row.text.replacingLineFeeds(with: end)
    let bytes = Array(text.utf8)
    let read = heard([bytes[...]])
    #expect(read.events == row.events)
    #expect(Array(read.pieces.joined()) == bytes)
    #expect(heard(bytewise(bytes)).events == row.events)
    for place in bytes.indices {
      let cut = heard([bytes[..<place], bytes[place...]])
      #expect(cut.events == row.events)
      #expect(Array(cut.pieces.joined()) == bytes)
    }
  }
}

@Test func `a line is an event where every line is one, and the last needs no end`() {
  let text = "{\"a\":1}\n\n  \n{\"b\":\r2}\r\n[3]"
  let events = ["||{\"a\":1}", "||{\"b\":\r2}", "||[3]"]
  #expect(heard(whole(text), .lines).events == events)
  #expect(heard(bytewise(Array(text.utf8)), .lines).events == events)
}

@Test(arguments: ["\n", "\r\n", "\r"])
func `an event comes out with its last line, not with the byte after it`(end: String) {
  var reader = EventStreamReader(.serverSent)
  Array("data: x\(end)\(end)".utf8).withUnsafeBytes { reader.append($0) }
  #expect(reader.next()?.data == Array("x".utf8))
  #expect(reader.heldCount == 0)
}

@Test func `other data replace the data lines and nothing else`() {
  let event = StreamEvent(Array("id: 1\r\n: c\r\ndata:a\r\nevent: e\r\ndata: b\r\n\r\n".utf8), .serverSent)
  let new = event.replacing(data: Array("x\ny\n".utf8))
  #expect(
    String(decoding: new.bytes, as: UTF8.self)
      == "id: 1\r\n: c\r\ndata: x\r\ndata: y\r\ndata: \r\nevent: e\r\n\r\n")
  #expect(new.data == Array("x\ny\n".utf8))
  let line = StreamEvent(Array("{\"a\": 1}\r\n".utf8), .lines).replacing(data: Array("2".utf8))
  #expect(line.bytes == Array("2\r\n".utf8))
}

@Test(arguments: 0..<300) func `nothing is lost of any bytes, and the cuts decide nothing`(seed: Int) {
  var generator = SeededGenerator(UInt64(seed))
  let alphabet = ["data", "id", "event", ":", " ", "\n", "\r", "\r\n", "x", "\u{FEFF}", "\0", "é"]
  let text = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
    alphabet.randomElement(using: &generator) ?? ""
  }.joined()
  let bytes = Array(text.utf8)
  for form in [EventStreamForm.serverSent, .lines] {
    let read = heard([bytes[...]], form)
    let place = bytes.isEmpty ? 0 : Int.random(in: 0...bytes.count, using: &generator)
    #expect(Array(read.pieces.joined()) == bytes)
    #expect(heard([bytes[..<place], bytes[place...]], form).events == read.events)
    #expect(heard(bytewise(bytes), form).events == read.events)
    for piece in read.pieces {
      let event = StreamEvent(piece, form)
      guard let data = event.data else { continue }
      let same = event.replacing(data: data)
      #expect(same.data == data && same.id == event.id && same.name == event.name)
    }
  }
}

extension String {
  fileprivate func replacingLineFeeds(with end: String) -> String {
    unicodeScalars.map { $0 == "\n" ? end : String($0) }.joined()
  }
}
