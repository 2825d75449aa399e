/// How much two lists have in common at their starts and at their ends, so that one element more or less in the middle
/// does not make all behind it look different.
package struct CommonEnds {
  package let head: Int
  let tail: Int

  package init<Element: Equatable>(_ old: [Element], _ new: [Element]) {
    let shorter = min(old.count, new.count)
    let head = (0..<shorter).prefix { old[$0] == new[$0] }.count
    self.head = head
    tail = (0..<(shorter - head)).prefix { old[old.count - 1 - $0] == new[new.count - 1 - $0] }.count
  }

  package func oldRange(_ old: [some Any]) -> Range<Int> { head..<(old.count - tail) }
  package func newRange(_ new: [some Any]) -> Range<Int> { head..<(new.count - tail) }
}
