internal import CCurl

/// Header lines as the linked list that libcurl reads while a transfer runs. One list serves one exchange after another
/// in the same memory, unless that has become large.
final class CurlHeaderList {
  private static let keptBytes = 4 * 1024
  private static let keptLines = 64

  private var text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 512)
  private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)
  private var count = 0

  deinit {
    nodes.deallocate()
    text.deallocate()
  }

  var first: UnsafeMutablePointer<curl_slist>? { count == 0 ? nil : nodes.baseAddress }

  func fill(_ lines: UpstreamRequestLines) {
    makeRoom(bytes: lines.headers.count, lines: lines.starts.count)
    count = lines.starts.count
    UnsafeMutableRawBufferPointer(text).copyBytes(from: lines.headers)
    for (index, start) in lines.starts.enumerated() {
      let next = index + 1 < count ? nodes.baseAddress?.advanced(by: index + 1) : nil
      nodes.initializeElement(
        at: index, to: curl_slist(data: text.baseAddress?.advanced(by: start), next: next))
    }
  }

  private func makeRoom(bytes: Int, lines: Int) {
    if text.count < bytes {
      text.deallocate()
      text = .allocate(capacity: bytes)
    }
    if nodes.count < lines {
      nodes.deallocate()
      nodes = .allocate(capacity: lines)
    }
  }

  /// No transfer reads the list any more.
  func clear() {
    count = 0
    guard text.count > Self.keptBytes || nodes.count > Self.keptLines else { return }
    text.deallocate()
    text = .allocate(capacity: 512)
    nodes.deallocate()
    nodes = .allocate(capacity: 16)
  }
}
