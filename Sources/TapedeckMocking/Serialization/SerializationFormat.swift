public import TapedeckHTTP

/// How values are written that JSON has no form for, and the style of the JSON.
public struct SerializationFormat: Sendable {
  /// The form of dates.
  public enum Dates: Sendable {
    /// `2026-01-31T12:30:00Z`, with milliseconds when there are any.
    case iso8601
    /// A number of seconds.
    case secondsSince1970
    /// A whole number of milliseconds.
    case millisecondsSince1970
    /// The result of a function of the seconds since 1970.
    case custom(@Sendable (Double) -> JSONValue)
  }

  /// The form of `Data`.
  public enum Data: Sendable {
    /// A Base64 string.
    case base64
    /// An array of numbers.
    case bytes
  }

  /// The treatment of a root that is neither an object nor an array.
  public enum Root: Sendable {
    /// It is written, as in RFC 8259.
    case any
    /// Nothing is written, as in Kakapo.
    case containers
  }

  /// The form of dates.
  public var dates: Dates
  /// The form of `Data`.
  public var data: Data
  /// The treatment of a root that is neither an object nor an array.
  public var root: Root
  /// The style of the JSON.
  public var style: JSONStyle

  /// Creates a format.
  public init(dates: Dates = .iso8601, data: Data = .base64, root: Root = .any, style: JSONStyle = .compact) {
    self.dates = dates
    self.data = data
    self.root = root
    self.style = style
  }
}
