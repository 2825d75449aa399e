/// A part of a list, as pages are counted.
public struct Page<Element> {
  public let items: [Element]
  /// From 1.
  public let number: Int
  /// How many fit on a page.
  public let size: Int
  /// How many there are on all pages.
  public let total: Int

  /// - Parameters:
  ///   - number: less than 1 is taken for 1; behind the last page there is nothing.
  ///   - size: less than 1 is taken for 1.
  public init(of all: [Element], number: Int, size: Int) {
    self.number = max(1, number)
    self.size = max(1, size)
    total = all.count
    let (start, isBeyond) = (self.number - 1).multipliedReportingOverflow(by: self.size)
    items = isBeyond ? [] : Array(all.dropFirst(start).prefix(self.size))
  }

  /// The part that begins behind so many.
  package init(of all: [Element], from offset: Int, size: Int) {
    self.size = max(1, size)
    number = offset / self.size + 1
    total = all.count
    items = Array(all.dropFirst(offset).prefix(self.size))
  }

  public var pageCount: Int { total == 0 ? 0 : (total - 1) / size + 1 }
  public var hasNext: Bool { number < pageCount }
  public var hasPrevious: Bool { number > 1 }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}
