/// Bytes of a document, shared with it. Offsets have 32 bits, so that a value stays small; the reader refuses
/// documents that are longer than that.
struct JSONSlice: Sendable, Equatable {
  let source: [UInt8]
  let start: UInt32
  let count: UInt32

  init(source: [UInt8], start: Int, end: Int) {
    self.source = source
    self.start = UInt32(start)
    self.count = UInt32(end - start)
  }

  init(_ bytes: [UInt8]) { self.init(source: bytes, start: 0, end: bytes.count) }

  var bytes: ArraySlice<UInt8> { source[Int(start)..<Int(start) + Int(count)] }

  static func == (left: JSONSlice, right: JSONSlice) -> Bool { left.bytes == right.bytes }
}
