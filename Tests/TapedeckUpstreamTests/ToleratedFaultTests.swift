import Synchronization
import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// Responses that are at fault, but common and of one meaning only.
@Suite struct ToleratedFaultTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var id: String
    var text: String
    var fault: ToleratedFault
    var fields: [(String, String)]
    var testDescription: String { id }
  }

  static let ok = "HTTP/1.1 200 OK\r\n"
  static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let rows: [Row] = [
    Row(
      id: "B03 equal lengths", text: ok + "Content-Length: 5\r\nX: 1\r\ncontent-length: 5\r\n\r\nhello",
      fault: .repeatedContentLength, fields: [("Content-Length", "5"), ("X", "1")]),
    Row(
      id: "B05 a list of equal lengths", text: ok + "Content-Length: 5, 05\r\n\r\nhello",
      fault: .repeatedContentLength, fields: [("Content-Length", "5")]),
    Row(
      id: "B13 chunked in 1.0",
      text: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nrest",
      fault: .chunkedInHTTP10, fields: []),
    Row(
      id: "B15 blanks after chunk sizes", text: chunked + "2 \r\nhe\r\n3  \t\r\nllo\r\n0   \r\n\r\n",
      fault: .blankAfterChunkSize, fields: []),
  ]

  @Test(arguments: rows) func aToleratedFaultIsPutRight(row: Row) throws {
    let faults = FaultLog()
    let sink = try response(row.text) { $0.onToleratedFault = { faults.note($0) } }
    #expect(sink.bodyText == "hello")
    #expect(sink.isEnded, "\(sink.failureText)")
    #expect(faults.all == [row.fault])
    #expect(
      sink.head?.fields.map {
        [String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)]
      }
        == row.fields.map { [$0.0, $0.1] })
  }

  @Test func aResponseToHEADHasItsLengthOnce() throws {
    let sink = try response(
      Self.ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", to: HTTPRequest(.head, "/"))
    #expect(sink.head?.fields == (try fields(("Content-Length", "5"))))
  }

  @Test func aProperResponseIsNoFault() throws {
    let faults = FaultLog()
    let sink = try response(Self.chunked + "5;a=b\r\nhello\r\n0\r\n\r\n") {
      $0.onToleratedFault = { faults.note($0) }
    }
    #expect(sink.isEnded)
    #expect(faults.all.isEmpty)
  }
}

private final class FaultLog: Sendable {
  private let faults = Mutex<[ToleratedFault]>([])
  var all: [ToleratedFault] { faults.withLock { $0 } }
  func note(_ fault: ToleratedFault) { faults.withLock { $0.append(fault) } }
}
