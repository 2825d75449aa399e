internal import CCurl

/// Header lines as the linked list that libcurl reads while a transfer runs; made in two allocations.
final class CurlHeaderList {
  private let text: UnsafeMutablePointer<CChar>
  private let nodes: UnsafeMutableBufferPointer<curl_slist>

  init(_ lines: UpstreamRequestLines) {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: lines.headers.count)
    let bytes = UnsafeMutableRawBufferPointer(start: text, count: lines.headers.count)
    bytes.copyBytes(from: lines.headers)
    self.text = text
    nodes = .allocate(capacity: lines.starts.count)
    for (index, start) in lines.starts.enumerated() {
      let next = index + 1 < nodes.count ? nodes.baseAddress?.advanced(by: index + 1) : nil
      nodes.initializeElement(at: index, to: curl_slist(data: text + start, next: next))
    }
  }

  deinit {
    nodes.deallocate()
    text.deallocate()
  }

  var first: UnsafeMutablePointer<curl_slist>? { nodes.isEmpty ? nil : nodes.baseAddress }
}
