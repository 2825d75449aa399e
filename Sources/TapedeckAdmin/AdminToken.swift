/// The secret that a client of the admin API must send.
public struct AdminToken: Sendable {
  public let text: String

  /// Throws if the text is not 16 to 256 visible ASCII characters.
  public init(_ text: String) throws(AdminError) {
    guard (16...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badToken
    }
    self.text = text
  }

  /// 128 random bits from the kernel, in hexadecimal.
  public static func random() throws(AdminError) -> AdminToken { try random(bits: 128) }

  /// Random bits from the kernel, in hexadecimal.
  static func random(bits: Int) throws(AdminError) -> AdminToken {
    var kernel = SystemRandomNumberGenerator()
    let digits = (0..<bits / 4).map { _ in String(Int.random(in: 0..<16, using: &kernel), radix: 16) }
    return try AdminToken(digits.joined())
  }

  /// Compares in constant time.
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
