/// What was wrong with a message.
public enum HTTPParseError: Error, Equatable, Sendable {
  case badRequestLine, badStatusLine, badTarget, unsupportedVersion, methodTooLong, targetTooLong
  case headTooLarge, tooManyFields, badField, badHost, foldedFramingField, nominatedFraming, badMaxForwards
  case badContentLength, conflictingFraming, badTransferEncoding, unsupportedTransferCoding, badChunk,
    bodyTooLarge
  case unsupportedExpectation, connectUnsupported, connectWithBody

  /// The status of its response (RFC 9112 §3, §6.3; RFC 6585 §5).
  public var status: Int {
    switch self {
    case .badRequestLine, .badStatusLine, .badTarget, .badField, .badHost, .badContentLength,
      .conflictingFraming, .badTransferEncoding, .badChunk, .foldedFramingField, .nominatedFraming,
      .badMaxForwards, .connectWithBody:
      400
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .unsupportedExpectation: 417
    case .headTooLarge, .tooManyFields: 431
    case .methodTooLong, .unsupportedTransferCoding, .connectUnsupported: 501
    case .unsupportedVersion: 505
    }
  }
}

extension HTTPParseError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badRequestLine: "the request line is not `METHOD SP target SP HTTP/1.1`"
    case .badStatusLine: "the status line is not `HTTP/1.1 SP status SP reason`"
    case .badTarget: "the request target holds a character that a URL cannot hold, or has the wrong form"
    case .unsupportedVersion: "only HTTP/1.0 and HTTP/1.1 are spoken here"
    case .methodTooLong: "the method is too long to be one"
    case .targetTooLong: "the request target is too long"
    case .headTooLarge: "the header section is too large"
    case .tooManyFields: "there are too many header fields"
    case .badField: "a header line is malformed, is folded, or holds a control character"
    case .badHost: "the Host header is missing, repeated or malformed"
    case .badContentLength: "Content-Length is not one plain decimal number"
    case .conflictingFraming: "Content-Length and Transfer-Encoding contradict each other"
    case .badTransferEncoding: "Transfer-Encoding does not end in exactly one `chunked`"
    case .unsupportedTransferCoding: "the transfer coding is not supported; only `chunked` is"
    case .badChunk: "the chunked body is malformed"
    case .bodyTooLarge: "the body is larger than the limit"
    case .unsupportedExpectation: "the only expectation understood is `100-continue`"
    case .connectUnsupported: "CONNECT is served with --forward only; send requests straight to this address"
    case .connectWithBody: "a CONNECT request has no body"
    case .nominatedFraming: "Connection names a field that tells where the message ends"
    case .badMaxForwards: "Max-Forwards is not one plain decimal number"
    case .foldedFramingField: "a framing header is folded over two lines"
    }
  }
}
