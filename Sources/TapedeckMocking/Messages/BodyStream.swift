/// A body that is written in pieces.
public enum BodyStream: Sendable {
  /// Writes the next bytes. Returns when there is room for more; throws when the client has disconnected.
  public typealias Write = @Sendable ([UInt8]) async throws -> Void

  /// A body of chunks, sent `interval` apart.
  case chunks([[UInt8]], interval: Latency = .zero)
  /// A body that the function writes until it returns. If it throws, the response ends early.
  case producing(@Sendable (Write) async throws -> Void)

  /// A body of texts, sent `interval` apart.
  public static func texts(_ texts: [String], interval: Latency = .zero) -> BodyStream {
    chunks(texts.map { Array($0.utf8) }, interval: interval)
  }

  /// A body whose chunks are the elements of a sequence.
  public static func elements<Elements: AsyncSequence & Sendable>(_ elements: Elements) -> BodyStream
  where Elements.Element == [UInt8] {
    producing { write in for try await bytes in elements { try await write(bytes) } }
  }
}

extension BodyStream {
  /// The times between chunks, drawn from a range.
  package struct Interval: Sendable {
    private let latency: Latency
    private var generator = SplitMix64(state: 0)

    package init(_ latency: Latency = .zero) { self.latency = latency }

    package mutating func nextNanoseconds() -> Int64 { latency.nanoseconds(using: &generator) }
  }

  /// The chunks; `nil` for a body that a function writes.
  package var chunks: (chunks: [[UInt8]], interval: Interval)? {
    guard case .chunks(let chunks, let interval) = self else { return nil }
    return (chunks, Interval(interval))
  }

  /// Writes the whole body; chunks follow without a pause unless `isPaced`.
  package func produce(isPaced: Bool = false, _ write: Write) async throws {
    switch self {
    case .producing(let produce): try await produce(write)
    case .chunks(let chunks, let latency):
      var interval = Interval(isPaced ? latency : .zero)
      for (index, chunk) in chunks.enumerated() {
        let pause = index == 0 ? 0 : interval.nextNanoseconds()
        if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause)) }
        try await write(chunk)
      }
    }
  }

  package func collected() async throws -> [UInt8] {
    let collector = Collector()
    try await produce(isPaced: true) { await collector.append($0) }
    return await collector.bytes
  }

  private actor Collector {
    var bytes: [UInt8] = []
    func append(_ more: [UInt8]) { bytes += more }
  }
}
