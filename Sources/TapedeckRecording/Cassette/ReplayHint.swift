internal import CSystem
import TapedeckHTTP

/// Where the response to a request lies in memory. Among many responses, little of what the next one needs is in the
/// processor's caches; with a hint, all of it is loaded at once while the request is compared. Nothing depends on a hint:
/// it keeps nothing alive, and what it names may be gone.
struct ReplayHint {
  private let objects: (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer)
  private let message: UnsafeRawPointer?
  private let messageBytes: Int
  /// The members that a replay reads come first in these objects.
  private static let objectBytes = 64

  /// `nil` before the last response of the sequence was sent.
  init?(_ sequence: InteractionSequence) {
    let interaction = sequence.last
    guard let prepared = interaction.prepared ?? nil else { return nil }
    objects = (
      Unmanaged.passUnretained(sequence).toOpaque(), Unmanaged.passUnretained(interaction).toOpaque(),
      Unmanaged.passUnretained(prepared).toOpaque()
    )
    (message, messageBytes) = prepared.message.withUnsafeBytes { ($0.baseAddress, $0.count) }
  }

  /// - Parameter body: the body to compare with.
  func prefetch(body: [UInt8]) {
    body.withUnsafeBytes { td_prefetch($0.baseAddress, $0.count) }
    td_prefetch(objects.0, Self.objectBytes)
    td_prefetch(objects.1, Self.objectBytes)
    td_prefetch(objects.2, Self.objectBytes)
    td_prefetch(message, messageBytes)
  }
}
