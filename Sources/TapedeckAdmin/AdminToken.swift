/// What whoever steers a proxy must know.
public struct AdminToken: Sendable {
  public let text: String

  /// Throws when it is too short to be one, or holds what no header may.
  public init(_ text: String) throws(AdminError) {
    guard (16...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badToken
    }
    self.text = text
  }

  /// 128 random bits of the kernel's.
  public static func random() throws(AdminError) -> AdminToken {
    var kernel = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &kernel) }
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return try AdminToken(String(decoding: text, as: UTF8.self))
  }

  /// Whether it is this one; how long that takes tells nothing about it.
  func isEqual(to other: some Collection<UInt8>) -> Bool {
    let mine = Array(text.utf8)
    var difference = UInt8(truncatingIfNeeded: mine.count == other.count ? 0 : 1)
    var index = 0
    for byte in other {
      difference |= byte ^ mine[index % mine.count]
      index += 1
    }
    return difference == 0
  }
}
