import TestSupport
import Testing

@testable import TapedeckHTTP

/// What one side sends, in what bytes. The masked bytes are those of RFC 6455 §5.7 and of Python's `websockets`.
struct WebSocketRow: Sendable, CustomTestStringConvertible {
  var name: String
  var side: WebSocketReader.Side
  var wire: String
  var messages: [WebSocketMessage] = []
  /// The code of the error that comes after them.
  var code: Int?

  var testDescription: String { name }
  var bytes: [UInt8] { WebSocketRow.bytes(wire) }

  static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func text(_ string: String) -> WebSocketMessage { .text(Array(string.utf8)) }

  static let all: [WebSocketRow] = [
    // RFC 6455 §5.7
    WebSocketRow(name: "a text", side: .server, wire: "81 05 48656c6c6f", messages: [text("Hello")]),
    WebSocketRow(
      name: "a masked text", side: .client, wire: "81 85 37fa213d 7f9f4d5158", messages: [text("Hello")]),
    WebSocketRow(
      name: "a fragmented text", side: .server, wire: "01 03 48656c 80 02 6c6f", messages: [text("Hello")]),
    WebSocketRow(
      name: "a ping and a masked pong's like", side: .server, wire: "89 05 48656c6c6f",
      messages: [.ping(Array("Hello".utf8))]),
    WebSocketRow(
      name: "a masked pong", side: .client, wire: "8a 85 37fa213d 7f9f4d5158",
      messages: [.pong(Array("Hello".utf8))]),
    WebSocketRow(
      name: "256 bytes", side: .server, wire: "82 7e 0100" + String(repeating: "61", count: 256),
      messages: [.binary(Array(repeating: 0x61, count: 256))]),
    WebSocketRow(
      name: "65,536 bytes", side: .server,
      wire: "82 7f 0000000000010000" + String(repeating: "61", count: 65536),
      messages: [.binary(Array(repeating: 0x61, count: 65536))]),
    WebSocketRow(
      name: "an empty text and an empty binary", side: .server, wire: "8100 8200",
      messages: [text(""), .binary([])]),
    WebSocketRow(
      name: "a ping between fragments", side: .server, wire: "01 01 61 89 00 00 01 62 80 01 63",
      messages: [.ping([]), text("abc")]),
    WebSocketRow(
      name: "a character cut by fragments", side: .server, wire: "01 01 c3 80 01 bc", messages: [text("ü")]),
    WebSocketRow(
      name: "the end, and bytes after it", side: .server, wire: "88 04 03e8 6279 81 01 61",
      messages: [.close(code: 1000, reason: Array("by".utf8))]),
    WebSocketRow(
      name: "the end without a code", side: .server, wire: "8800", messages: [.close(code: nil, reason: [])]),
    WebSocketRow(
      name: "the end with an application's code", side: .server, wire: "88 02 1387",
      messages: [.close(code: 4999, reason: [])]),

    WebSocketRow(name: "a client that masks nothing", side: .client, wire: "81 05 48656c6c6f", code: 1002),
    WebSocketRow(name: "a server that masks", side: .server, wire: "81 85 37fa213d 7f9f4d5158", code: 1002),
    WebSocketRow(name: "a reserved bit", side: .server, wire: "c1 00", code: 1002),
    WebSocketRow(name: "a reserved opcode", side: .server, wire: "83 00", code: 1002),
    WebSocketRow(name: "a reserved control", side: .server, wire: "8b 00", code: 1002),
    WebSocketRow(name: "a fragmented ping", side: .server, wire: "09 00", code: 1002),
    WebSocketRow(name: "a long ping", side: .server, wire: "89 7e 007e", code: 1002),
    WebSocketRow(name: "a fragment of nothing", side: .server, wire: "80 00", code: 1002),
    WebSocketRow(name: "a message inside of another", side: .server, wire: "01 00 81 00", code: 1002),
    WebSocketRow(name: "a length in too many bytes", side: .server, wire: "82 7e 007d", code: 1002),
    WebSocketRow(
      name: "a length in far too many bytes", side: .server, wire: "82 7f 000000000000ffff", code: 1002),
    WebSocketRow(
      name: "a length with the highest bit", side: .server, wire: "82 7f 8000000000000000", code: 1002),
    WebSocketRow(
      name: "a message above the limit", side: .server, wire: "82 7f 0000000000020001", code: 1009),
    WebSocketRow(
      name: "fragments above the limit", side: .server,
      wire: "02 7f 0000000000010001" + String(repeating: "00", count: 65537) + "80 7f 0000000000010000",
      code: 1009),
    WebSocketRow(name: "a text that is not UTF-8", side: .server, wire: "81 02 c0af", code: 1007),
    WebSocketRow(name: "a surrogate", side: .server, wire: "81 03 eda080", code: 1007),
    WebSocketRow(name: "half a code", side: .server, wire: "88 01 03", code: 1002),
    WebSocketRow(name: "a code that is never sent", side: .server, wire: "88 02 03ed", code: 1002),
    WebSocketRow(name: "a code below 1000", side: .server, wire: "88 02 03e7", code: 1002),
    WebSocketRow(name: "a reason that is not UTF-8", side: .server, wire: "88 03 03e8 ff", code: 1007),

    // Written by `websockets` 17.4, whose client masks at random.
    WebSocketRow(
      name: "a session of websockets", side: .client,
      wire: WebSocketRow.session,
      messages: [
        text("hello"), text("grüße"), .binary([0, 1, 2, 255]), .ping(Array("now".utf8)), text("abcdef"),
        .close(code: 1000, reason: Array("done".utf8)),
      ]),
  ]

  static let session =
    "81855c669e603403f20c3381878e744500e90686bc4deb208284155de175155ce38a898304ecf1366a83860183eef7c7"
    + "348f95a48083f15a1657953f708886f594f7cff67c93a09bf1"
}

@Suite struct WebSocketTests {
  static let limit = 131_072

  /// The messages, and the code of the error that ends them.
  private static func read(_ pieces: [ArraySlice<UInt8>], _ side: WebSocketReader.Side) -> (
    [WebSocketMessage], Int?
  ) {
    var reader = WebSocketReader(from: side, maximumMessageBytes: limit)
    var messages: [WebSocketMessage] = []
    do {
      for piece in pieces {
        try Array(piece).withUnsafeBytes { bytes in
          var offset = 0
          while let message = try reader.next(bytes, at: &offset) { messages.append(message) }
        }
      }
      return (messages, nil)
    } catch {
      return (messages, (error as? WebSocketError)?.code ?? -1)
    }
  }

  @Test(arguments: WebSocketRow.all) func `it comes out the same however it is cut`(row: WebSocketRow) {
    let bytes = row.bytes
    var ways = [[bytes[...]], bytes.indices.map { bytes[$0...$0] }]
    for cut in bytes.indices.prefix(200) { ways.append([bytes[..<cut], bytes[cut...]]) }
    for way in ways {
      let (messages, code) = Self.read(way, row.side)
      #expect(messages == row.messages)
      #expect(code == row.code)
    }
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 131_072]) func `what is written is read`(count: Int)
  {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let text = Array(String(repeating: "é", count: count / 2).utf8)
    for message in [WebSocketMessage.binary(bytes), .text(text)] {
      #expect(Self.read([message.frame()[...]], .server) == ([message], nil))
      #expect(Self.read([message.frame(mask: [1, 0, 255, 128])[...]], .client) == ([message], nil))
    }
  }

  @Test func `a control is cut to what fits`() {
    let long = Array(String(repeating: "ü", count: 100).utf8)
    let (messages, code) = Self.read([WebSocketMessage.close(code: 1008, reason: long).frame()[...]], .server)
    #expect(code == nil)
    #expect(messages == [.close(code: 1008, reason: Array(long.prefix(122)))])
    #expect(WebSocketMessage.ping(long).frame().count == 127)
  }

  /// RFC 6455 §1.3, RFC 3174 §7.3.
  @Test func `a handshake is proven`() throws {
    var request = HTTPRequest(.get, "/chat")
    #expect(WebSocketHandshake(request) == nil)
    request.asksForUpgrade = true
    request.fields.append(literal: "Upgrade", "websocket")
    request.fields.append(literal: "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    request.fields.append(literal: "Sec-WebSocket-Protocol", "chat, superchat")
    let handshake = try #require(WebSocketHandshake(request))
    #expect(handshake.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    var head = HTTPResponseHead(status: 101)
    #expect(handshake.problem(with: head) != nil)
    head.fields.append(literal: "Upgrade", "WebSocket")
    #expect(handshake.problem(with: head) != nil)
    head.fields.append(literal: "Sec-WebSocket-Accept", handshake.accept)
    #expect(handshake.problem(with: head) == nil)
    var foreign = head
    foreign.fields.append(literal: "Sec-WebSocket-Protocol", "mqtt")
    #expect(handshake.problem(with: foreign) != nil)
    head.fields.append(literal: "Sec-WebSocket-Protocol", "superchat")
    #expect(handshake.problem(with: head) == nil)
    head.fields.append(literal: "Sec-WebSocket-Extensions", "permessage-deflate")
    #expect(handshake.problem(with: head) != nil)
  }

  @Test func `SHA-1 agrees with its definition`() {
    func hex(_ text: String) -> String {
      SHA1.digest(of: Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
    }
    #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(
      hex(String(repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10))
        == "dea356a2cddd90c7a7ecedc5ebb563934f460452")
  }
}
