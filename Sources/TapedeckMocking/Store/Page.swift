/// A page of a list.
public struct Page<Element> {
  /// The elements of the page.
  public let items: [Element]
  /// The number of the page, from 1.
  public let number: Int
  /// How many elements fit on a page.
  public let size: Int
  /// How many elements there are on all pages.
  public let total: Int

  /// Creates a page of a list.
  /// - Parameters:
  ///   - number: at least 1; pages after the last one are empty.
  ///   - size: at least 1.
  public init(of all: [Element], number: Int, size: Int) {
    self.number = max(1, number)
    self.size = max(1, size)
    total = all.count
    let (start, isBeyond) = (self.number - 1).multipliedReportingOverflow(by: self.size)
    items = isBeyond ? [] : Array(all.dropFirst(start).prefix(self.size))
  }

  /// A page that begins after `offset` elements.
  package init(of all: [Element], from offset: Int, size: Int) {
    self.size = max(1, size)
    number = offset / self.size + 1
    total = all.count
    items = Array(all.dropFirst(offset).prefix(self.size))
  }

  /// How many pages there are.
  public var pageCount: Int { total == 0 ? 0 : (total - 1) / size + 1 }
  /// Whether a page follows.
  public var hasNext: Bool { number < pageCount }
  /// Whether a page precedes.
  public var hasPrevious: Bool { number > 1 }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}
