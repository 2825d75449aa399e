import CSystem

/// Finds bytes in bytes, in linear time.
package enum ByteSearch {
  package static func first(_ pattern: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    guard !pattern.isEmpty, pattern.count <= text.count else { return nil }
    return text.withUnsafeBytes { text -> Int? in
      pattern.withUnsafeBytes { pattern -> Int? in
        guard let start = text.baseAddress, let wanted = pattern.baseAddress,
          let found = td_find(start, text.count, wanted, pattern.count)
        else { return nil }
        return found - start
      }
    }.map { $0 + text.startIndex }
  }

  /// The occurrences of `pattern`, without overlaps.
  package static func all(_ pattern: [UInt8], in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var rest = text
    while let start = first(pattern, in: rest) {
      found.append(start..<start + pattern.count)
      rest = text[(start + pattern.count)...]
    }
    return found
  }
}
