import TapedeckHTTP

/// How far a request is from a recorded one, in points that are good for nothing but comparing.
///
/// The path weighs most, then the method, the query and the body, since that is the order in which clients are wrong.
/// A part that only one side has weighs more than one with another value: the same call with other arguments
/// is nearer than another call.
enum RequestDistance {
  static let method = 40
  static let host = 20
  /// A segment of the path.
  static let segment = 60
  /// A path that is the same but for its case, its slashes or its percent-encoding.
  static let spelling = 6
  /// A path that is the end of the other, each segment before it.
  static let prefix = 15
  static let query = 8
  static let header = 8
  /// A value in a body.
  static let value = 4
  /// A body of another kind, or one where there is none.
  static let otherBody = 40
  /// No more differences of one kind are counted.
  static let maximumCounted = 8

  /// The points of differences in a query, among headers or in a body.
  static func sum(_ differences: [RequestDifference], each points: Int = value) -> Int {
    differences.prefix(maximumCounted).reduce(0) { sum, difference in
      let isOneSided = difference.recorded == nil || difference.received == nil
      return sum + (isOneSided ? points + points / 2 : points)
    }
  }

  /// The points of bytes that mean nothing to us.
  static func bytes(differing: Int, of count: Int) -> Int {
    value + (count == 0 ? 0 : (otherBody - 2 * value) * differing / count)
  }

  /// Weighs the segments that are not the same from the start or from the end on, and less where the first of them
  /// begins alike.
  static func path(_ recorded: ArraySlice<UInt8>, _ received: ArraySlice<UInt8>) -> Int {
    if recorded.elementsEqual(received) { return 0 }
    if spelled(recorded) == spelled(received) { return spelling }
    let (left, right) = (segments(recorded), segments(received))
    let shorter = min(left.count, right.count)
    let head = (0..<shorter).prefix { left[$0] == right[$0] }.count
    let tail = (0..<(shorter - head)).prefix { left[left.count - 1 - $0] == right[right.count - 1 - $0] }
      .count
    let different = max(left.count, right.count) - (head + tail)
    if head == 0, tail == shorter, shorter > 0 { return prefix * (different + 1) }
    guard head < shorter else { return segment * different + 1 }
    let alike = zip(left[head], right[head]).prefix { $0 == $1 }.count
    return segment * different + 1 - min(alike, segment / 2)
  }

  private static func segments(_ path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    path.split(separator: UInt8(ascii: "/"))
  }

  /// Without common mistakes: decoded, in lower case, each slash once and none at the end.
  private static func spelled(_ path: ArraySlice<UInt8>) -> [UInt8] {
    let decoded = PercentCoding.decode(path).map(ASCII.lowercased)
    return Array(decoded.split(separator: UInt8(ascii: "/")).joined(separator: [UInt8(ascii: "/")]))
  }
}
