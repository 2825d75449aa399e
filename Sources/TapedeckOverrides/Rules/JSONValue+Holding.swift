internal import TapedeckHTTP

extension JSONValue {
  /// Whether all of `part` is in here: members of objects by name, elements of lists in order and all of them, numbers
  /// by what they are worth, anything else equal.
  func holds(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.object, .object(let wanted)):
      wanted.allSatisfy { member in self[member.name.text]?.holds(member.value) == true }
    case (.array(let items), .array(let wanted)):
      items.count == wanted.count && zip(items, wanted).allSatisfy { $0.holds($1) }
    case (.string(let left), .string(let right)): left.text == right.text
    case (.number(let left), .number(let right)): left.isWorth(right)
    default: self == part
    }
  }
}

extension JSONNumber {
  /// `1` and `1.0` are the same; whole numbers too large for a double are told apart all the same.
  fileprivate func isWorth(_ other: JSONNumber) -> Bool {
    if self == other { return true }
    if let mine = int, let theirs = other.int { return mine == theirs }
    guard let mine = double, let theirs = other.double else { return false }
    return mine == theirs
  }
}
