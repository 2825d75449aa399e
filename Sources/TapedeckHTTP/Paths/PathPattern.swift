/// A path with parameters and a wildcard: `/users/{id}`, `/users/:id` (Kakapo's spelling), `/files/*rest`.
///
/// Segments are compared decoded: `/café` matches `/caf%C3%A9`. Doubled and surrounding slashes are ignored.
/// `PathTree` matches many patterns at once.
public struct PathPattern: Sendable, Equatable {
  package enum Segment: Sendable, Hashable {
    /// Percent-decoded.
    case literal([UInt8])
    case parameter(String)
    case rest(String)
  }

  package let segments: [Segment]

  /// - Throws: `PathPatternError` when a parameter has no name or the wildcard is not the last segment.
  public init(_ text: String) throws(PathPatternError) {
    let parts = Array(text.utf8).split(separator: UInt8(ascii: "/"))
    var segments: [Segment] = []
    for (index, part) in parts.enumerated() {
      let segment = try Self.segment(part, of: text)
      if case .rest = segment, index != parts.count - 1 { throw .restNotLast(text) }
      segments.append(segment)
    }
    self.segments = segments
  }

  /// The decoded values of parameters and wildcard by name; `nil` when `path` does not match.
  package func match(_ path: ArraySlice<UInt8>) -> [String: String]? {
    let path = PathSegments(path)
    return PathTree([segments]).offer(path) { _ in true } ? values(in: path) : nil
  }

  package func values(in path: PathSegments) -> [String: String] {
    var values: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal: continue
      case .parameter(let name): values[name] = path.text(index)
      case .rest(let name): values[name] = path.rest(from: index)
      }
    }
    return values
  }

  private static func segment(
    _ part: ArraySlice<UInt8>, of text: String
  ) throws(PathPatternError) -> Segment {
    let name: ArraySlice<UInt8>
    switch (part.first, part.last) {
    case (UInt8(ascii: ":"), _): name = part.dropFirst()
    case (UInt8(ascii: "{"), UInt8(ascii: "}")): name = part.dropFirst().dropLast()
    case (UInt8(ascii: "*"), _):
      let rest = part.dropFirst()
      return .rest(rest.isEmpty ? "rest" : String(decoding: rest, as: UTF8.self))
    default: return .literal(PercentCoding.decode(part))
    }
    guard !name.isEmpty else { throw .namelessParameter(text) }
    return .parameter(String(decoding: name, as: UTF8.self))
  }
}

/// Why a text is not a path pattern.
public enum PathPatternError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A parameter without a name, like `/users/:`; the value is the whole text.
  case namelessParameter(String)
  /// A segment after the wildcard, like `/*rest/more`; the value is the whole text.
  case restNotLast(String)
  /// A scheme and host behind the base of a router or the path of a group; the value is the whole text.
  case hostInside(String)

  public var description: String {
    switch self {
    case .namelessParameter(let text): "the pattern \(text) has a parameter without a name"
    case .restNotLast(let text): "in the pattern \(text), `*` must be the last segment"
    case .hostInside(let text):
      "in the pattern \(text), the scheme and host must come first: use a router without a base URL, and no group"
    }
  }
}

/// A path, split at its slashes; empty segments are dropped.
package struct PathSegments: Sendable {
  package let raw: [ArraySlice<UInt8>]
  /// The segments to compare with literals: decoded, and in lower case if case is ignored.
  package let keys: [ArraySlice<UInt8>]
  package let isEncoded: Bool

  package init(_ path: ArraySlice<UInt8>, foldsCase: Bool = false) {
    raw = path.split(separator: UInt8(ascii: "/"))
    isEncoded = path.contains(UInt8(ascii: "%"))
    guard isEncoded || foldsCase else {
      keys = raw
      return
    }
    keys = raw.map { segment in
      let decoded = PercentCoding.decode(segment)
      return (foldsCase ? Self.folded(decoded) : decoded)[...]
    }
  }

  package static func folded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  package func text(_ index: Int) -> String { isEncoded ? Self.decoded(raw[index]) : rawText(index) }

  package func rawText(_ index: Int) -> String { String(decoding: raw[index], as: UTF8.self) }

  package func rest(from index: Int) -> String { raw[index...].map(Self.decoded).joined(separator: "/") }

  package func rawRest(from index: Int) -> String {
    raw[index...].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: PercentCoding.decode(bytes), as: UTF8.self)
  }
}
