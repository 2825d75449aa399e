internal import TapedeckHTTP

/// A text that stands in another as base64, as it is or packed with gzip, with the way back.
package struct EncodedText {
  package let text: [UInt8]
  private let run: ArraySlice<UInt8>
  private let isPacked: Bool

  /// - Parameter run: the base64 with its padding.
  package init?(_ run: ArraySlice<UInt8>) {
    self.run = run
    // How the first bytes of every gzip file come out (RFC 1952 §2.3.1).
    isPacked = run.starts(with: "H4sI".utf8)
    if isPacked {
      let digits = run.prefix { $0 != UInt8(ascii: "=") }
      let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
      guard let packed = Base64.decode(Array(digits) + padding),
        let text = BodyCoding.gzip.decoded(packed[...])
      else { return nil }
      self.text = text
    } else {
      guard let text = LooseBase64.decodedText(run) else { return nil }
      self.text = text
    }
  }

  /// Another text in the same form.
  package func encoded(_ text: [UInt8]) -> [UInt8] {
    LooseBase64.encode(isPacked ? BodyCoding.gzip.encoded(text) ?? text : text, like: run)
  }
}
