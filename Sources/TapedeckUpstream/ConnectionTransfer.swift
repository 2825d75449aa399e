internal import TapedeckSockets

/// What a transfer of bytes over a connection to the origin came to.
enum ConnectionTransfer {
  /// Who knows why it failed.
  enum Fault {
    /// The kernel, by this code.
    case system(Int32)
    /// libcurl, in its error buffer.
    case libcurl
    /// Bytes came that cannot belong to this exchange.
    case strayBytes
  }

  case bytes(Int)
  case wouldBlock
  case endOfStream
  case failed(Fault)

  init(_ result: TransferResult) {
    switch result {
    case .bytes(let count): self = .bytes(count)
    case .wouldBlock: self = .wouldBlock
    case .endOfStream: self = .endOfStream
    case .failed(let code): self = .failed(.system(code))
    }
  }
}
