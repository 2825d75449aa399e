/// A body that comes bit by bit.
public struct BodyStream: Sendable {
  /// Takes the next bytes; comes back when there is room for more, and throws when the client has left.
  public typealias Write = @Sendable ([UInt8]) async throws -> Void

  enum Source: Sendable {
    case chunks([[UInt8]], interval: Latency)
    case producer(@Sendable (Write) async throws -> Void)
  }

  let source: Source

  /// Chunks that are there already, each `interval` after the one before it.
  public static func chunks(_ chunks: [[UInt8]], interval: Latency = .zero) -> BodyStream {
    BodyStream(source: .chunks(chunks, interval: interval))
  }

  /// Texts that are there already, each `interval` after the one before it.
  public static func texts(_ texts: [String], interval: Latency = .zero) -> BodyStream {
    chunks(texts.map { Array($0.utf8) }, interval: interval)
  }

  /// Whatever `produce` writes, until it returns. When it throws, the client sees the answer break off.
  public static func producing(_ produce: @escaping @Sendable (Write) async throws -> Void) -> BodyStream {
    BodyStream(source: .producer(produce))
  }

  /// The elements of a sequence, each a chunk.
  public static func elements<Elements: AsyncSequence & Sendable>(_ elements: Elements) -> BodyStream
  where Elements.Element == [UInt8] {
    producing { write in for try await bytes in elements { try await write(bytes) } }
  }
}

/// What the doors need to give it.
extension BodyStream {
  /// The time between chunks, each taken out of the range.
  package struct Interval: Sendable {
    private let latency: Latency
    private var generator = SplitMix64(state: 0)

    package init(_ latency: Latency = .zero) { self.latency = latency }

    package mutating func nextNanoseconds() -> Int64 { latency.nanoseconds(using: &generator) }
  }

  /// The chunks that are there already; nil for a body that is produced.
  package var chunks: (chunks: [[UInt8]], interval: Interval)? {
    guard case .chunks(let chunks, let interval) = source else { return nil }
    return (chunks, Interval(interval))
  }

  /// Writes it all, chunks without a pause.
  package func produce(_ write: Write) async throws {
    switch source {
    case .chunks(let chunks, _): for chunk in chunks { try await write(chunk) }
    case .producer(let produce): try await produce(write)
    }
  }

  /// All of it, at its own pace.
  package func collected() async throws -> [UInt8] {
    let collector = Collector()
    if let (chunks, interval) = chunks {
      var interval = interval
      for chunk in chunks {
        await collector.append(chunk)
        let pause = interval.nextNanoseconds()
        if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause)) }
      }
    } else {
      try await produce { await collector.append($0) }
    }
    return await collector.bytes
  }

  private actor Collector {
    var bytes: [UInt8] = []
    func append(_ more: [UInt8]) { bytes += more }
  }
}
