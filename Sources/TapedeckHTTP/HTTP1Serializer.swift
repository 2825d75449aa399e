/// Writes heads and chunks. What comes in was validated when it entered `HTTPFields`, so nothing here can split a
/// message; framing and connection fields are written here and nowhere else.
public enum HTTP1Serializer {
  /// Status line, fields and framing, up to but without the final blank line, so that a connection field may follow.
  /// The version is always ours (RFC 9110 §6.2). Where `head` speaks of framing, the truth is written in its place.
  public static func openHead(_ head: HTTPResponseHead, framing: BodyFraming) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(head.fields.storage.count + 96)
    appendStatusLine(head, to: &out)
    var isLengthWritten = false
    for field in head.fields {
      if field.isNamed("transfer-encoding") || field.isNamed("connection") { continue }
      if field.isNamed("content-length"), framing != .none {
        guard case .length(let length) = framing, !isLengthWritten else { continue }
        append(field.name, Array("\(length)".utf8)[...], to: &out)
        isLengthWritten = true
      } else {
        append(field.name, field.value, to: &out)
      }
    }
    appendFraming(framing, isLengthWritten: isLengthWritten, to: &out)
    return out
  }

  private static func appendFraming(_ framing: BodyFraming, isLengthWritten: Bool, to out: inout [UInt8]) {
    switch framing {
    case .chunked: out += "Transfer-Encoding: chunked\r\n".utf8
    case .length(let length) where !isLengthWritten: out += "Content-Length: \(length)\r\n".utf8
    case .length, .none, .untilClose: break
    }
  }

  /// A complete head for an interim answer (RFC 9110 §15.2).
  public static func informational(_ head: HTTPResponseHead) -> [UInt8] {
    openHead(head, framing: .none) + crlf
  }

  public static let crlf: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]
  public static let closeAndBlankLine: [UInt8] = Array("Connection: close\r\n\r\n".utf8)
  public static let continueHead: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private static func appendStatusLine(_ head: HTTPResponseHead, to out: inout [UInt8]) {
    out += "HTTP/1.1 ".utf8
    out += [100, 10, 1].map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: head.status / $0 % 10) }
    out.append(ASCII.space)
    out += head.reason
    out += crlf
  }

  private static func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, to out: inout [UInt8]) {
    out += name
    out.append(ASCII.colon)
    out.append(ASCII.space)
    out += value
    out += crlf
  }

  /// The line before the data of a chunk of `size` bytes (RFC 9112 §7.1).
  public static func chunkHead(_ size: Int) -> [UInt8] { Array("\(String(size, radix: 16))\r\n".utf8) }

  /// The last chunk, trailers and the final line end.
  public static func lastChunk(trailers: HTTPFields = HTTPFields()) -> [UInt8] {
    var out: [UInt8] = Array("0\r\n".utf8)
    for field in trailers { append(field.name, field.value, to: &out) }
    return out + crlf
  }
}
