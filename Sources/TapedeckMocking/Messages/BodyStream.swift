/// A body that is written piece by piece.
public struct BodyStream: Sendable {
  /// Takes the next bytes. Returns when there is room for more; throws when the client has left.
  public typealias Write = @Sendable ([UInt8]) async throws -> Void

  enum Source: Sendable {
    case chunks([[UInt8]], interval: Latency)
    case producer(@Sendable (Write) async throws -> Void)
  }

  let source: Source

  /// A body of given chunks, each `interval` after the one before it.
  public static func chunks(_ chunks: [[UInt8]], interval: Latency = .zero) -> BodyStream {
    BodyStream(source: .chunks(chunks, interval: interval))
  }

  /// A body of given texts, each `interval` after the one before it.
  public static func texts(_ texts: [String], interval: Latency = .zero) -> BodyStream {
    chunks(texts.map { Array($0.utf8) }, interval: interval)
  }

  /// A body that `produce` writes until it returns. When it throws, the response breaks off.
  public static func producing(_ produce: @escaping @Sendable (Write) async throws -> Void) -> BodyStream {
    BodyStream(source: .producer(produce))
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

  /// The chunks, if they are given; `nil` for a body that is produced.
  package var chunks: (chunks: [[UInt8]], interval: Interval)? {
    guard case .chunks(let chunks, let interval) = source else { return nil }
    return (chunks, Interval(interval))
  }

  /// Writes the whole body: given chunks without a pause, unless `isPaced`.
  package func produce(isPaced: Bool = false, _ write: Write) async throws {
    switch source {
    case .producer(let produce): try await produce(write)
    case .chunks(let chunks, let latency):
      var interval = Interval(isPaced ? latency : .zero)
      for (index, chunk) in chunks.enumerated() {
        let pause = index == 0 ? 0 : interval.nextNanoseconds()
        if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause)) }
        try await write(chunk)
      }
    }
  }

  /// The whole body, at its own pace.
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
