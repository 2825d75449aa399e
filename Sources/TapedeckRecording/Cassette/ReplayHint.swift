internal import CSystem
import TapedeckHTTP

/// Where a request and its response lie in memory. Among many responses, little of what the next one needs is in the
/// processor's caches; with a hint, all of it is loaded at once while the request is compared. Nothing depends on a hint:
/// it keeps nothing alive, and what it names may be gone.
struct ReplayHint {
  private let objects: (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer)
  // Not the arrays: their counts lie before their bytes, and would have to be loaded first.
  private let message: UnsafeRawBufferPointer
  private let body: UnsafeRawBufferPointer
  /// The members that a replay reads come first in these objects.
  private static let objectBytes = 64
  /// The processor itself goes on loading what is read in order.
  private static let maximumBytes = 2048

  /// `nil` before the last response of the sequence was sent.
  /// - Parameter body: the one to compare with.
  init?(_ sequence: InteractionSequence, body: [UInt8]) {
    let interaction = sequence.last
    guard let prepared = interaction.prepared ?? nil else { return nil }
    objects = (
      Unmanaged.passUnretained(sequence).toOpaque(), Unmanaged.passUnretained(interaction).toOpaque(),
      Unmanaged.passUnretained(prepared).toOpaque()
    )
    message = prepared.message.withUnsafeBytes { $0 }
    self.body = body.withUnsafeBytes { $0 }
  }

  func prefetch() {
    td_prefetch(body.baseAddress, min(body.count, Self.maximumBytes))
    td_prefetch(objects.0, Self.objectBytes)
    td_prefetch(objects.1, Self.objectBytes)
    td_prefetch(objects.2, Self.objectBytes)
    td_prefetch(message.baseAddress, min(message.count, Self.maximumBytes))
  }
}
