import TapedeckHTTP

/// The distance of a request from a recorded one, in points. The path weighs most, then method, query and
/// body, because clients err in that order. A missing part weighs more than a different value.
enum RequestDistance {
  static let method = 40
  static let host = 20
  /// Another host than the origin's, less than two segments; its other port or scheme.
  static let origin = 100
  static let port = 20
  static let segment = 60
  /// A path that differs only in case, slashes or percent-encoding.
  static let spelling = 6
  /// A path that is a suffix of the other, by whole segments.
  static let prefix = 15
  static let query = 8
  static let header = 8
  static let value = 4
  /// A body of another kind, or present on one side only.
  static let otherBody = 40
  /// The number of differences of one kind that count.
  static let maximumCounted = 8

  static func sum(_ differences: [RequestDifference], each points: Int = value) -> Int {
    differences.prefix(maximumCounted).reduce(0) { sum, difference in
      let isOneSided = difference.recorded == nil || difference.received == nil
      return sum + (isOneSided ? points + points / 2 : points)
    }
  }

  static func bytes(differing: Int, of count: Int) -> Int {
    value + (count == 0 ? 0 : (otherBody - 2 * value) * differing / count)
  }

  /// The path of a request, in the forms in which others are compared with it.
  struct Paths {
    private let received: ArraySlice<UInt8>
    private let spelled: [UInt8]
    private let segments: [ArraySlice<UInt8>]

    init(_ received: ArraySlice<UInt8>) {
      self.received = received
      spelled = RequestDistance.spelled(received)
      segments = RequestDistance.segments(received)
    }

    func distance(to recorded: ArraySlice<UInt8>) -> Int {
      if recorded.elementsEqual(received) { return 0 }
      if mayBeSpelledAlike(recorded), RequestDistance.spelled(recorded) == spelled { return spelling }
      return RequestDistance.path(RequestDistance.segments(recorded), segments)
    }

    /// Whether `spelled` may be equal, as it is of few. Of a path without percent-encoding only slashes are lost.
    private func mayBeSpelledAlike(_ recorded: ArraySlice<UInt8>) -> Bool {
      var rest = spelled[...]
      for byte in recorded where byte != UInt8(ascii: "/") {
        if byte == UInt8(ascii: "%") { return true }
        if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
        guard rest.popFirst() == ASCII.lowercased(byte) else { return false }
      }
      return rest.isEmpty
    }
  }

  /// Weighs the differing segments in the middle, less if the first of them begin alike.
  static func path(_ recorded: ArraySlice<UInt8>, _ received: ArraySlice<UInt8>) -> Int {
    Paths(received).distance(to: recorded)
  }

  private static func path(_ left: [ArraySlice<UInt8>], _ right: [ArraySlice<UInt8>]) -> Int {
    let shorter = min(left.count, right.count)
    let common = CommonEnds(left, right)
    let different = max(left.count, right.count) - (common.head + common.tail)
    if common.head == 0, common.tail == shorter, shorter > 0 { return prefix * (different + 1) }
    guard common.head < shorter else { return segment * different + 1 }
    let alike = zip(left[common.head], right[common.head]).prefix { $0 == $1 }.count
    return segment * different + 1 - min(alike, segment / 2)
  }

  private static func segments(_ path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    path.split(separator: UInt8(ascii: "/"))
  }

  /// The path without common mistakes: decoded, lower case, single slashes, none at the end.
  private static func spelled(_ path: ArraySlice<UInt8>) -> [UInt8] {
    let decoded = PercentCoding.decode(path).map(ASCII.lowercased)
    return Array(decoded.split(separator: UInt8(ascii: "/")).joined(separator: [UInt8(ascii: "/")]))
  }
}
