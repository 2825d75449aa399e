/// Facts that differ between two recordings of the same session, and so never make an interaction a different one.
public struct VolatileFacts: Sendable, Equatable {
  /// Above this many chunks their times are not kept.
  public static let maximumChunkOffsets = 4096
  /// The range of a duration: up to some thirty years, which a double holds to the microsecond.
  package static let milliseconds = 0.0...1e12

  /// When the response was complete, in microseconds since 1970 UTC: a server on this machine responds within
  /// milliseconds, and this time tells the order of a session.
  public var recordedAtMicroseconds: Int?
  /// From the request to the end of the response.
  public var durationMilliseconds: Double?
  /// The address of the server, as `address:port`.
  public var remoteAddress: String?
  /// When each chunk came, counted from the request; nil unless there is one for every chunk.
  public var chunkOffsetsMilliseconds: [Double]?

  public init(
    recordedAtMicroseconds: Int? = nil, durationMilliseconds: Double? = nil, remoteAddress: String? = nil,
    chunkOffsetsMilliseconds: [Double]? = nil
  ) {
    self.recordedAtMicroseconds = recordedAtMicroseconds
    self.durationMilliseconds = durationMilliseconds
    self.remoteAddress = remoteAddress
    self.chunkOffsetsMilliseconds = chunkOffsetsMilliseconds
  }

  /// The same to the millisecond, as other formats have it.
  public var recordedAtMilliseconds: Int? {
    recordedAtMicroseconds.map { Timestamp.divide($0, 1000).quotient }
  }
}
