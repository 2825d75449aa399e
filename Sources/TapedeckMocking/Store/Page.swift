/// A page of a list.
public struct Page<Element> {
  /// The elements of the page.
  public let items: [Element]
  /// The number of the page, from 1.
  public let number: Int
  /// The maximum number of elements on a page.
  public let size: Int
  /// The number of elements on all pages.
  public let total: Int

  /// Creates a page of a list; number and size are at least 1, and pages after the last one are empty.
  public init(of all: [Element], number: Int, size: Int) {
    self.number = max(1, number)
    self.size = max(1, size)
    total = all.count
    let (start, isBeyond) = (self.number - 1).multipliedReportingOverflow(by: self.size)
    items = isBeyond ? [] : Array(all.dropFirst(start).prefix(self.size))
  }

  package init(of all: [Element], from offset: Int, size: Int) {
    self.size = max(1, size)
    number = min(offset, .max - 1) / self.size + 1
    total = all.count
    items = Array(all.dropFirst(offset).prefix(self.size))
  }

  /// The number of pages.
  public var pageCount: Int { total == 0 ? 0 : (total - 1) / size + 1 }
  /// Whether there is a next page.
  public var hasNext: Bool { number < pageCount }
  /// Whether there is a previous page.
  public var hasPrevious: Bool { number > 1 }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}
