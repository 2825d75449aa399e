extension HTTPFields {
  /// How many more hops a request may take (RFC 9110 §7.6.2); nil without the field. A number too long to count with,
  /// like anything but one plain number, is refused.
  public func maxForwards() throws(HTTPParseError) -> Int? {
    let values = values(of: "max-forwards")
    guard let digits = values.first else { return nil }
    guard values.count == 1, (1...18).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else {
      throw .badMaxForwards
    }
    return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }

  /// Whether `Via` says that the message has passed someone of this name, in lower case (RFC 9110 §7.6.3).
  public func hasPassed(_ pseudonym: StaticString) -> Bool {
    values(of: "via").contains { value in
      value.split(separator: ASCII.comma).contains { member in
        // received-protocol, received-by, comment
        let words = member.split(whereSeparator: ASCII.isBlank)
        return words.count > 1 && ASCII.equal(words[1], lowercase: pseudonym)
      }
    }
  }
}
