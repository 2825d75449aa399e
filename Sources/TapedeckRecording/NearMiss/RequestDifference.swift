/// A place where a request differs from a recorded one.
public struct RequestDifference: Sendable, Equatable {
  /// `method`, `path`, `query "page"`, `$.user.name`, `form "q"`, `part "file"`, `header accept`, `origin`, `host`, `body`.
  public var field: String
  public var recorded: String?
  public var received: String?
  /// The `--match` word that would ignore this place; `nil` when there is none.
  public var ignoredBy: String?
  /// The name of the compared header field that differs; `nil` for any other place.
  public var comparedHeader: String?
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
  /// `$.user.name: "a" → "b"`, from the recorded to the received value.
  public var description: String { "\(field): \(recorded ?? "(absent)") → \(received ?? "(absent)")" }
}

extension RequestDifference {
  private static let maximumBytes = 80

  /// Bytes as safe, short text: characters that control a terminal or text direction are escaped.
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
  /// The differences between two sorted lists of pairs, by name.
  /// - Parameter part: the part as `--match` names it.
  static func differences(
    recorded: [FormPairs.Pair], received: [FormPairs.Pair], in list: String, of part: String
  ) -> [RequestDifference] {
    if recorded == received { return [] }
    let left = Dictionary(grouping: recorded, by: \.name)
    let right = Dictionary(grouping: received, by: \.name)
    return Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
      guard left[name] != right[name] else { return nil }
      return RequestDifference(
        field: "\(list) \(quoted(name))", recorded: text(left[name]), received: text(right[name]),
        ignoredBy: NamePattern(exactly: name).map { "\(part):ignore=\($0)" })
    }
  }

  private static func text(_ pairs: [FormPairs.Pair]?) -> String? {
    pairs?.map { quoted($0.value) }.joined(separator: ", ")
  }
}
