import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// What differs between two bodies of the same kind: JSON by path, text by line, all else by size and digest.
enum ContentComparison {
  /// How many differences of one body are told.
  static let maximumDifferences = 50

  static func differences(_ old: RecordedBody, _ new: RecordedBody, field: String) -> [RequestDifference] {
    guard old != new else { return [] }
    guard case .bytes(let left) = old, case .bytes(let right) = new, !left.isEmpty, !right.isEmpty else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    if let (left, right) = json(left, right) { return differences(left, right, field: field) }
    guard isText(left), isText(right) else {
      return [RequestDifference(field: field, recorded: summary(old), received: summary(new))]
    }
    return lines(left, right, field: field)
  }

  private static func json(_ left: [UInt8], _ right: [UInt8]) -> (JSONValue, JSONValue)? {
    guard let left = try? JSONValue(parsing: left), let right = try? JSONValue(parsing: right) else {
      return nil
    }
    return (left, right)
  }

  private static func differences(
    _ left: JSONValue, _ right: JSONValue, field: String
  ) -> [RequestDifference] {
    var comparison = JSONComparison(maximumDifferences: maximumDifferences)
    comparison.compare(left, right, path: "\(field) $")
    guard comparison.differences.isEmpty else { return comparison.differences }
    return [
      RequestDifference(
        field: field, recorded: "the same JSON",
        received: "written in another order or with other white space")
    ]
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy(ASCII.isText) && UTF8Scan.isValid(bytes[...])
  }

  /// From the first to the last line that is not the same.
  private static func lines(_ left: [UInt8], _ right: [UInt8], field: String) -> [RequestDifference] {
    let (old, new) = (lines(left), lines(right))
    let common = CommonEnds(old, new)
    let (oldMiddle, newMiddle) = (old[common.oldRange(old)], new[common.newRange(new)])
    return (0..<min(max(oldMiddle.count, newMiddle.count), maximumDifferences)).map { index in
      RequestDifference(
        field: "\(field) line \(common.head + index + 1)",
        recorded: oldMiddle.dropFirst(index).first.map(RequestDifference.quoted),
        received: newMiddle.dropFirst(index).first.map(RequestDifference.quoted))
    }
  }

  /// Without their line feeds. A missing last one makes the last line another.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() } else { lines.append([]) }
    return lines
  }

  private static func summary(_ body: RecordedBody) -> String? {
    switch body {
    case .bytes([]): nil
    case .bytes(let bytes): "\(bytes.count) bytes, SHA-256 \(SHA256Digest(of: bytes).hex.prefix(12))"
    case .file(let file): "\(file.size) bytes, \(file.name)"
    }
  }
}
