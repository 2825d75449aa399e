/// A path with holes: `/users/{id}`, `/users/:id` (Kakapo's spelling), `/files/*rest`.
///
/// Matching is by segment, decoded on both sides: `/café` matches `/caf%C3%A9`. Doubled and surrounding slashes do not
/// count. A pattern knows how specific it
/// is, so that `/users/me` goes before `/users/{id}`, whatever the order of registration.
public struct PathPattern: Sendable, Equatable {
  package enum Segment: Sendable, Hashable {
    /// Percent-decoded.
    case literal([UInt8])
    case parameter(String)
    case rest(String)
  }

  package let segments: [Segment]

  /// Throws when a hole has no name or the rest is not last.
  public init(_ text: String) throws(PathPatternError) {
    let parts = Self.split(Array(text.utf8)[...])
    var segments: [Segment] = []
    for (index, part) in parts.enumerated() {
      let segment = try Self.segment(part, of: text)
      if case .rest = segment, index != parts.count - 1 { throw .restNotLast(text) }
      segments.append(segment)
    }
    self.segments = segments
  }

  /// What the holes caught; nil when `path` is another.
  public func match(_ path: ArraySlice<UInt8>) -> [String: String]? {
    let parts = Self.split(path)
    var caught: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      if case .rest(let name) = segment {
        caught[name] = Self.decoded(Array(parts.dropFirst(index).joined(separator: [UInt8(ascii: "/")])))
        return caught
      }
      guard index < parts.count else { return nil }
      switch segment {
      case .literal(let bytes): guard PercentCoding.decode(parts[index]) == bytes else { return nil }
      case .parameter(let name): caught[name] = Self.decoded(Array(parts[index]))
      case .rest: break
      }
    }
    return parts.count == segments.count ? caught : nil
  }

  /// Whether a path that both match should go to this one: at the first difference, a literal goes before a parameter
  /// and a parameter before a rest.
  public func isMoreSpecific(than other: PathPattern) -> Bool {
    for (mine, theirs) in zip(segments, other.segments) where Self.rank(mine) != Self.rank(theirs) {
      return Self.rank(mine) < Self.rank(theirs)
    }
    return segments.count > other.segments.count
  }

  private static func rank(_ segment: Segment) -> Int {
    switch segment {
    case .literal: 0
    case .parameter: 1
    case .rest: 2
    }
  }

  private static func split(_ path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    path.split(separator: UInt8(ascii: "/"))
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

  private static func decoded(_ bytes: [UInt8]) -> String {
    String(decoding: PercentCoding.decode(bytes[...]), as: UTF8.self)
  }
}

/// Why a text is no path pattern.
public enum PathPatternError: Error, Equatable, Sendable, CustomStringConvertible {
  case namelessParameter(String)
  case restNotLast(String)

  public var description: String {
    switch self {
    case .namelessParameter(let text): "the pattern \(text) has a parameter without a name"
    case .restNotLast(let text): "in the pattern \(text), `*` must be the last segment"
    }
  }
}
