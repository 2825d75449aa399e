/// The white space of a JSON document. With the values as written, it restores the bytes of nearly all JSON.
public struct JSONStyle: Sendable, Equatable {
  /// The white space between values.
  public enum Layout: Sendable, Equatable {
    /// No white space at all.
    case compact
    /// One line, with `, ` and `: `, as Python's `json.dumps` writes.
    case spaced
    /// One line per element, each level indented by this many spaces.
    case indented(Int)
    /// One line per element, each level indented by a tab.
    case tabs
  }

  /// The white space between values.
  public var layout: Layout
  /// Whether the document ends with a newline.
  public var endsWithNewline: Bool

  /// Creates a style.
  public init(_ layout: Layout, endsWithNewline: Bool = false) {
    self.layout = layout
    self.endsWithNewline = endsWithNewline
  }

  /// No white space.
  public static let compact = JSONStyle(.compact)
  /// One line with a space after `,` and `:`.
  public static let spaced = JSONStyle(.spaced)
  /// For people: two spaces and a final newline.
  public static let pretty = JSONStyle(.indented(2), endsWithNewline: true)
}

extension JSONStyle {
  /// The style that writes `value` as exactly these bytes, if any.
  public static func detect(_ original: [UInt8], of value: JSONValue) -> JSONStyle? {
    guard let compaction = JSONCompaction(original), compaction.bytes.elementsEqual(value.bytes()) else {
      return nil
    }
    return compaction.style
  }

  /// The styles that the last byte and those after the first bracket allow, the preferred one first.
  static func candidates(_ original: [UInt8]) -> [JSONStyle] {
    let endsWithNewline = original.last == ASCII.lineFeed
    return layouts(original).map { JSONStyle($0, endsWithNewline: endsWithNewline) }
  }

  private static func layouts(_ original: [UInt8]) -> [Layout] {
    guard original.count > 1, original[1] == ASCII.lineFeed else { return [.compact, .spaced] }
    if original.count > 2, original[2] == ASCII.tab { return [.tabs] }
    let spaces = original[2...].prefix { $0 == ASCII.space }.count
    return spaces <= maximumIndent ? [.indented(spaces)] : []
  }
}

/// The name in cassettes: `compact`, `spaced`, `indent-2` or `tabs`, with `+newline` for a final one.
extension JSONStyle: CustomStringConvertible {
  public var description: String {
    let name =
      switch layout {
      case .compact: "compact"
      case .spaced: "spaced"
      case .tabs: "tabs"
      case .indented(let spaces): "indent-\(spaces)"
      }
    return endsWithNewline ? name + "+newline" : name
  }

  private static let maximumIndent = 64

  /// The style with this name.
  public init?(name: String) {
    let endsWithNewline = name.hasSuffix("+newline")
    let layout = endsWithNewline ? name.dropLast("+newline".count) : name[...]
    switch layout {
    case "compact": self.init(.compact, endsWithNewline: endsWithNewline)
    case "spaced": self.init(.spaced, endsWithNewline: endsWithNewline)
    case "tabs": self.init(.tabs, endsWithNewline: endsWithNewline)
    default:
      guard layout.hasPrefix("indent-"), let spaces = UInt8(layout.dropFirst("indent-".count)),
        spaces <= Self.maximumIndent, layout == "indent-\(spaces)"
      else { return nil }
      self.init(.indented(Int(spaces)), endsWithNewline: endsWithNewline)
    }
  }
}
