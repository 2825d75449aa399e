/// Writes heads and chunks; the only place that writes framing and connection fields. Cannot split a message,
/// because `HTTPFields` has validated its input.
public enum HTTP1Serializer {
  /// Status line, fields and framing without the final blank line, so that a connection field may follow. The
  /// version is always ours (RFC 9110 §6.2), and `framing` replaces the framing fields of `head`.
  public static func openHead(_ head: HTTPResponseHead, framing: BodyFraming) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(head.fields.storage.count + 96)
    appendOpenHead(head, framing: framing, to: &out)
    return out
  }

  public static func appendOpenHead(_ head: HTTPResponseHead, framing: BodyFraming, to out: inout [UInt8]) {
    appendStatusLine(head, to: &out)
    var isLengthWritten = false
    let slices = head.fields.slices
    head.fields.storage.withUnsafeBufferPointer { bytes in
      // The lines that are in the buffer as they are sent, one after another.
      var whole = 0..<0
      for slice in slices {
        if slice.isNamed("transfer-encoding", in: bytes) || slice.isNamed("connection", in: bytes) {
          continue
        }
        let isLength = slice.isNamed("content-length", in: bytes) && framing != .none
        if !isLength, let line = slice.line(in: bytes) {
          if line.lowerBound != whole.upperBound {
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[whole]))
            whole = line
          } else {
            whole = whole.lowerBound..<line.upperBound
          }
          continue
        }
        out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[whole]))
        whole = 0..<0
        if isLength {
          guard case .length(let length) = framing, !isLengthWritten else { continue }
          appendName(UnsafeBufferPointer(rebasing: bytes[slice.name]), to: &out)
          ASCII.append(length, to: &out)
          isLengthWritten = true
        } else {
          appendName(UnsafeBufferPointer(rebasing: bytes[slice.name]), to: &out)
          out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[slice.value]))
        }
        appendLineEnd(to: &out)
      }
      out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[whole]))
    }
    // RFC 9110 §7.8: a sender of `Upgrade` lists it in Connection; only a 426 and a 101 keep it.
    if head.announcesUpgrade, head.fields.contains("upgrade") { append("Connection: upgrade\r\n", to: &out) }
    appendFraming(framing, isLengthWritten: isLengthWritten, to: &out)
  }

  private static func appendFraming(_ framing: BodyFraming, isLengthWritten: Bool, to out: inout [UInt8]) {
    switch framing {
    case .chunked: append("Transfer-Encoding: chunked\r\n", to: &out)
    case .length(let length) where !isLengthWritten:
      append("Content-Length: ", to: &out)
      ASCII.append(length, to: &out)
      appendLineEnd(to: &out)
    case .length, .none, .untilClose: break
    }
  }

  /// Appends a complete head of an interim response (RFC 9110 §15.2).
  public static func appendInformational(_ head: HTTPResponseHead, to out: inout [UInt8]) {
    appendOpenHead(head, framing: .none, to: &out)
    appendLineEnd(to: &out)
  }

  public static let crlf: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]
  public static let closeAndBlankLine: [UInt8] = Array("Connection: close\r\n\r\n".utf8)
  /// The response to a CONNECT that has opened a tunnel, without framing (RFC 9110 §9.3.6).
  public static let connectionEstablished: [UInt8] = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
  public static let continueHead: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private static func appendStatusLine(_ head: HTTPResponseHead, to out: inout [UInt8]) {
    append("HTTP/1.1 ", to: &out)
    for place in [100, 10, 1] { out.append(0x30 + UInt8(truncatingIfNeeded: head.status / place % 10)) }
    out.append(ASCII.space)
    out += head.reason
    appendLineEnd(to: &out)
  }

  private static func append(_ text: StaticString, to out: inout [UInt8]) {
    out.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func appendName(_ name: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    out.append(contentsOf: name)
    out.append(ASCII.colon)
    out.append(ASCII.space)
  }

  private static func appendLineEnd(to out: inout [UInt8]) {
    out.append(ASCII.carriageReturn)
    out.append(ASCII.lineFeed)
  }

  /// Appends the line before the data of a chunk of `size` bytes (RFC 9112 §7.1).
  public static func appendChunkHead(_ size: Int, to out: inout [UInt8]) {
    ASCII.append(hexadecimal: size, to: &out)
    appendLineEnd(to: &out)
  }

  /// Appends the last chunk, trailers and the final line end.
  public static func appendLastChunk(trailers: HTTPFields = HTTPFields(), to out: inout [UInt8]) {
    append("0\r\n", to: &out)
    for field in trailers {
      out += field.name
      append(": ", to: &out)
      out += field.value
      appendLineEnd(to: &out)
    }
    appendLineEnd(to: &out)
  }
}
