/// A place where a request differs from a recorded one.
public struct RequestDifference: Sendable, Equatable {
  /// `method`, `path`, `query "page"`, `$.user.name`, `form "q"`, `part "file"`, `header accept`, `host`, `body`.
  public var field: String
  /// The recorded value; nil when it is absent.
  public var recorded: String?
  /// The received value; nil when it is absent.
  public var received: String?
  /// The word of `--match` by which this place would make no difference; nil where there is none.
  public var ignoredBy: String?
  /// The name of the header field that the rules have compared and that differs here; nil where this is another place.
  public var comparedHeader: String?
  /// Whether this is a header field that makes the variant.
  var isVariant = false

  public init(
    field: String, recorded: String?, received: String?, ignoredBy: String? = nil,
    comparedHeader: String? = nil
  ) {
    self.field = field
    self.recorded = recorded
    self.received = received
    self.ignoredBy = ignoredBy
    self.comparedHeader = comparedHeader
  }
}

extension RequestDifference: CustomStringConvertible {
  /// `$.user.name: "a" → "b"`, from what was recorded to what came.
  public var description: String { "\(field): \(recorded ?? "(absent)") → \(received ?? "(absent)")" }
}

extension RequestDifference {
  private static let maximumBytes = 80

  /// Bytes for people: whatever would steer a terminal or turn the direction of text escaped, undecodable bytes
  /// replaced, long ones cut.
  package static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes.prefix(maximumBytes), as: UTF8.self).unicodeScalars {
      text += steers(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return bytes.count > maximumBytes ? text + "…" : text
  }

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  package static func quoted(_ bytes: some Collection<UInt8>) -> String { "\"\(excerpt(bytes))\"" }
}

extension RequestDifference {
  /// The parts of a request that are lists of pairs, by the word that stands before a name.
  enum Pairs: String { case query, form }

  /// The differences between two sorted lists of pairs, name by name.
  static func differences(
    recorded: [FormPairs.Pair], received: [FormPairs.Pair], in part: Pairs
  ) -> [RequestDifference] {
    if recorded == received { return [] }
    let left = Dictionary(grouping: recorded, by: \.name)
    let right = Dictionary(grouping: received, by: \.name)
    return Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
      guard left[name] != right[name] else { return nil }
      return RequestDifference(
        field: "\(part.rawValue) \(quoted(name))", recorded: text(left[name]), received: text(right[name]),
        ignoredBy: NamePattern(exactly: name).map { "\(part == .query ? "query" : "body"):ignore=\($0)" })
    }
  }

  private static func text(_ pairs: [FormPairs.Pair]?) -> String? {
    pairs?.map { quoted($0.value) }.joined(separator: ", ")
  }
}
