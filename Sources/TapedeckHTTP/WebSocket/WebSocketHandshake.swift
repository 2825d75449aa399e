/// A client's opening handshake, and what the response to it must say (RFC 6455 §4).
package struct WebSocketHandshake {
  private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
  /// RFC 6455 §4.1: the version of the protocol.
  package static let version = "13"

  package let key: [UInt8]
  /// In the client's order.
  package let subprotocols: [[UInt8]]
  private let versions: [String]

  /// `nil` for a request that opens no WebSocket.
  package init?(_ request: HTTPRequest) {
    guard request.asksForWebSocket else { return nil }
    key = request.fields.first("sec-websocket-key").map { Array($0) } ?? []
    subprotocols = request.fields.members(of: "sec-websocket-protocol").map { Array($0) }
    versions = request.fields.values(of: "sec-websocket-version").map { String(decoding: $0, as: UTF8.self) }
  }

  /// Makes a handshake with a key of its own out of a request that was recorded without those fields (RFC 6455 §4.1).
  package static func complete(_ request: inout HTTPRequest) {
    request.asksForUpgrade = true
    request.fields.removeAll("sec-websocket-key")
    if !request.fields.contains("upgrade") { request.fields.append(literal: "Upgrade", "websocket") }
    if !request.fields.contains("sec-websocket-version") {
      request.fields.append(literal: "Sec-WebSocket-Version", version)
    }
    let key = (0..<16).map { _ in UInt8.random(in: 0...0xFF) }
    request.fields.append(literal: "Sec-WebSocket-Key", Base64.encode(key))
  }

  /// The response to a handshake that is not valid; `nil` if it is (RFC 6455 §4.2.1, §4.4).
  package var refusal: HTTPResponse? {
    guard versions == [Self.version] else {
      var refusal = HTTPResponse.problem(
        426, "WebSocket is spoken here in version \(Self.version) (RFC 6455)")
      refusal.head.fields.append(literal: "Upgrade", "websocket")
      refusal.head.fields.append(literal: "Sec-WebSocket-Version", Self.version)
      return refusal
    }
    guard Base64.decode(key)?.count == 16 else {
      return .problem(400, "Sec-WebSocket-Key must be 16 bytes in base64 (RFC 6455 §4.1)")
    }
    return nil
  }

  /// The first of a server's subprotocols that the client offers.
  package func subprotocol(of supported: [String]) -> String? {
    supported.first { name in subprotocols.contains { $0.elementsEqual(name.utf8) } }
  }

  /// The head that opens the WebSocket.
  /// - Parameter head: of the response so far, which keeps its own fields.
  package func opening(
    _ head: HTTPResponseHead = HTTPResponseHead(status: 101), subprotocol: String? = nil
  ) -> HTTPResponseHead {
    var head = head
    if !head.fields.contains("upgrade") { head.fields.append(literal: "Upgrade", "websocket") }
    head.fields.removeAll("sec-websocket-accept")
    head.fields.append(literal: "Sec-WebSocket-Accept", accept)
    if let subprotocol { head.fields.append(literal: "Sec-WebSocket-Protocol", subprotocol) }
    return head
  }

  /// The value of `Sec-WebSocket-Accept`, which proves that the handshake was understood (RFC 6455 §4.2.2).
  package var accept: String { Base64.encode(SHA1.digest(of: key + Array(Self.guid.utf8))) }

  /// Why a 101 does not open the WebSocket that was asked for; `nil` if it does (RFC 6455 §4.1).
  package func problem(with head: HTTPResponseHead) -> String? {
    let fields = head.fields
    guard fields.members(of: "upgrade").contains(lowercase: "websocket") else {
      return "it switches to another protocol than WebSocket"
    }
    guard fields.text("sec-websocket-accept") == accept else {
      return "its Sec-WebSocket-Accept does not belong to the request's Sec-WebSocket-Key"
    }
    guard !fields.contains("sec-websocket-extensions") else {
      return "it uses an extension of WebSocket that was not offered"
    }
    if let chosen = fields.first("sec-websocket-protocol"),
      !subprotocols.contains(where: chosen.elementsEqual)
    {
      return "it uses a subprotocol of WebSocket that was not offered"
    }
    return nil
  }
}

/// SHA-1 (RFC 3174), which the handshake of a WebSocket needs and nothing else may use.
enum SHA1 {
  static func digest(of message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = message.count * 8
    for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(bits >> shift & 0xFF)) }
    for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<start + 64], into: &state) }
    return state.flatMap { word in stride(from: 24, through: 0, by: -8).map { UInt8(word >> $0 & 0xFF) } }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = []
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let next = rotated(a, 5) &+ round(index, b, c, d) &+ e &+ word
      (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func round(_ index: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
    switch index {
    case ..<20: (b & c | ~b & d) &+ 0x5A82_7999
    case ..<40: (b ^ c ^ d) &+ 0x6ED9_EBA1
    case ..<60: (b & c | b & d | c & d) &+ 0x8F1B_BCDC
    default: (b ^ c ^ d) &+ 0xCA62_C1D6
    }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
