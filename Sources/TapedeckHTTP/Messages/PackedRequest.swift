/// A request for keeping: what its head is made of lies in one piece of memory, so that thousands are put away and let go
/// of with little work.
package struct PackedRequest: ~Copyable, Sendable {
  private let method: HTTPMethod
  private let version: HTTPVersion
  private let keepsAlive: Bool
  /// The field offsets, the bytes they point into, the target, the authority.
  private let head: [UInt8]
  private let sliceCount: Int32
  private let fieldsEnd: Int32
  private let targetEnd: Int32
  /// Nil where there is nothing behind the head.
  private let content: Content?

  private final class Content: Sendable {
    let body: [UInt8]
    let trailers: HTTPFields

    init(_ request: borrowing HTTPRequest) {
      body = request.body
      trailers = request.trailers
    }
  }

  package init(_ request: borrowing HTTPRequest) {
    method = request.method
    version = request.version
    keepsAlive = request.keepsAlive
    content = request.body.isEmpty && request.trailers.isEmpty ? nil : Content(request)
    sliceCount = Int32(truncatingIfNeeded: request.fields.slices.count)
    let slicesEnd = request.fields.slices.count * MemoryLayout<HTTPFields.Slice>.stride
    let fieldsEnd = slicesEnd + request.fields.storage.count
    let targetEnd = fieldsEnd + request.target.count
    self.fieldsEnd = Int32(truncatingIfNeeded: fieldsEnd)
    self.targetEnd = Int32(truncatingIfNeeded: targetEnd)
    let count = targetEnd + request.authority.count
    head = Array(unsafeUninitializedCapacity: count) { head, initializedCount in
      let head = UnsafeMutableRawBufferPointer(head)
      Self.copy(request.fields.slices, to: head, at: 0)
      Self.copy(request.fields.storage, to: head, at: slicesEnd)
      Self.copy(request.target, to: head, at: fieldsEnd)
      Self.copy(request.authority, to: head, at: targetEnd)
      initializedCount = count
    }
  }

  private static func copy<Element: BitwiseCopyable>(
    _ elements: [Element], to head: UnsafeMutableRawBufferPointer, at offset: Int
  ) {
    elements.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: head[offset...]).copyMemory(from: $0) }
  }

  package var request: HTTPRequest {
    let slices = head.withUnsafeBytes { head in
      (0..<Int(sliceCount)).map {
        head.loadUnaligned(
          fromByteOffset: $0 * MemoryLayout<HTTPFields.Slice>.stride, as: HTTPFields.Slice.self)
      }
    }
    let slicesEnd = slices.count * MemoryLayout<HTTPFields.Slice>.stride
    let (fieldsEnd, targetEnd) = (Int(fieldsEnd), Int(targetEnd))
    return HTTPRequest(
      method: method, target: Array(head[fieldsEnd..<targetEnd]), version: version,
      fields: HTTPFields(storage: Array(head[slicesEnd..<fieldsEnd]), slices: slices),
      body: content?.body ?? [], trailers: content?.trailers ?? HTTPFields(),
      authority: Array(head[targetEnd...]), keepsAlive: keepsAlive)
  }

  /// What it takes in memory, about.
  package var bytes: Int {
    64 + head.count + (content.map { 64 + $0.body.count + $0.trailers.storage.count } ?? 0)
  }
}
