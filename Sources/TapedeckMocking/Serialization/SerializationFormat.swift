public import TapedeckHTTP

/// How values are written for which JSON has no word of its own.
public struct SerializationFormat: Sendable {
  public enum Dates: Sendable {
    /// `2026-01-31T12:30:00Z`, with milliseconds when there are any.
    case iso8601
    case secondsSince1970
    case millisecondsSince1970
    /// Given the seconds since 1970.
    case custom(@Sendable (Double) -> JSONValue)
  }

  public enum Data: Sendable {
    case base64
    /// An array of numbers.
    case bytes
  }

  /// What becomes of a root that is neither an object nor an array.
  public enum Root: Sendable {
    /// It is written, as RFC 8259 has it.
    case any
    /// Nothing is written: Kakapo's way.
    case containers
  }

  public var dates: Dates
  public var data: Data
  public var root: Root
  public var style: JSONStyle

  public init(dates: Dates = .iso8601, data: Data = .base64, root: Root = .any, style: JSONStyle = .compact) {
    self.dates = dates
    self.data = data
    self.root = root
    self.style = style
  }
}
