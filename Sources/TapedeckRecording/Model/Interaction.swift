public import TapedeckHTTP
import TapedeckRedaction

/// A recorded request with its response.
public struct Interaction: Sendable, Equatable {
  /// The request with the end-to-end fields sent to the origin, and the target as the client sent it. It
  /// names its origin in a cassette of several, and in no other.
  public var request: HTTPRequest
  /// The request's body if it is too large for `request.body`.
  public var largeRequestBody: BodyFile?
  public var response: RecordedResponse
  public var volatile: VolatileFacts

  @inlinable public init(
    request: HTTPRequest, largeRequestBody: BodyFile? = nil, response: RecordedResponse,
    volatile: VolatileFacts = VolatileFacts()
  ) {
    self.request = request
    self.largeRequestBody = largeRequestBody
    self.response = response
    self.volatile = volatile
  }

  public var recordedRequest: RecordedRequest { RecordedRequest(request, largeBody: largeRequestBody) }

  /// Puts a body in the place of the request's; its fields follow a size that redaction has changed.
  package mutating func setRequestBody(_ body: RecordedBody) {
    if request.uploadBytes != nil { request.uploadBytes = nil }
    switch body {
    case .bytes(let bytes): request.body = bytes
    case .file(let file):
      largeRequestBody = file
      if request.fields.first("content-length")?.elementsEqual("\(file.size)".utf8) != true {
        request.fields.describe(bodyOf: file.size)
      }
    }
  }

  /// The origin, if the request names it.
  package var origin: HTTPOrigin? { request.namesOrigin ? request.origin : nil }
}

extension HTTPRequest {
  /// The target for people: a URL if the request names its origin.
  package var shownTarget: String { (namesOrigin ? origin.map { "\($0)" } ?? "" : "") + targetText }
}

/// The request of an interaction, as far as it can be compared with a received one.
public struct RecordedRequest: Sendable, Equatable {
  public var request: HTTPRequest
  /// The body if it is too large for `request.body`.
  public var largeBody: BodyFile?

  public init(_ request: HTTPRequest, largeBody: BodyFile? = nil) {
    self.request = request
    self.largeBody = largeBody
  }
}

/// The origin's response: complete, or what had arrived when the client left a stream.
public struct RecordedResponse: Sendable, Equatable {
  /// The head with its end-to-end fields.
  public var head: HTTPResponseHead
  public var body: RecordedBody
  /// The sizes of the origin's chunks, each at least 1; `nil` when the response was not chunked.
  public var chunkSizes: [Int]?
  public var trailers: HTTPFields
  /// Whether the end of the connection ended the body (RFC 9112 §6.3).
  public var isCloseDelimited: Bool
  /// The interim responses before it (RFC 9110 §15.2): status, reason and end-to-end fields.
  public var interim: [HTTPResponseHead] = []
  /// Whether the client left before the end of the body, which then has no length.
  public var isCutByClient = false
  /// What was said after a 101.
  @usableFromInline package var webSocket: RecordedWebSocket?

  @inlinable public init(
    head: HTTPResponseHead, body: RecordedBody = .bytes([]), chunkSizes: [Int]? = nil,
    trailers: HTTPFields = HTTPFields(), isCloseDelimited: Bool = false
  ) {
    self.head = head
    self.body = body
    self.chunkSizes = chunkSizes
    self.trailers = trailers
    self.isCloseDelimited = isCloseDelimited
  }

  /// Whether its `Content-Length` is the size of its body.
  package func isFramedByLength(to method: HTTPMethod) -> Bool {
    chunkSizes == nil && !isCloseDelimited && !isCutByClient
      && !BodyFraming.hasNoBody(status: head.status, method: method)
  }
}

/// A body as received, byte for byte.
public enum RecordedBody: Sendable, Equatable {
  case bytes([UInt8])
  /// Too large to hold in memory.
  case file(BodyFile)

  public var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.size
    }
  }

  package var heldCount: Int {
    guard case .bytes(let bytes) = self else { return 0 }
    return bytes.count
  }

  /// The decoded content and coding of a compressed body in memory; `nil` when there is none to decode.
  public func opened(_ fields: HTTPFields) -> (content: [UInt8], coding: String)? {
    guard case .bytes(let bytes) = self, !bytes.isEmpty else { return nil }
    let coding = BodyCoding(fields)
    guard coding != .identity, let content = coding.decoded(bytes[...]) else { return nil }
    return (content, coding.name)
  }

  package func content(_ fields: HTTPFields) -> RecordedBody {
    opened(fields).map { .bytes($0.content) } ?? self
  }
}

/// Facts that differ between recordings of the same session, and so never distinguish interactions.
public struct VolatileFacts: Sendable, Equatable {
  public static let maximumChunkOffsets = 4096
  /// The range of a duration: about thirty years, which a `Double` holds to the microsecond.
  package static let milliseconds = 0.0...1e12

  /// When the response was complete, since 1970 UTC; fine enough to order the responses of a local server.
  public var recordedAtMicroseconds: Int?
  /// The time from the request to the end of the response.
  public var durationMilliseconds: Double?
  /// The address of the server, as `address:port`.
  public var remoteAddress: String?
  /// When each chunk arrived, counted from the request; `nil` unless known for every chunk.
  public var chunkOffsetsMilliseconds: [Double]?

  @inlinable public init(
    recordedAtMicroseconds: Int? = nil, durationMilliseconds: Double? = nil, remoteAddress: String? = nil,
    chunkOffsetsMilliseconds: [Double]? = nil
  ) {
    self.recordedAtMicroseconds = recordedAtMicroseconds
    self.durationMilliseconds = durationMilliseconds
    self.remoteAddress = remoteAddress
    self.chunkOffsetsMilliseconds = chunkOffsetsMilliseconds
  }

  /// The same time in milliseconds, as other formats have it.
  public var recordedAtMilliseconds: Int? {
    recordedAtMicroseconds.map { Timestamp.divide($0, 1000).quotient }
  }
}
