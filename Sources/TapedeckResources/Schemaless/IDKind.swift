package import TapedeckHTTP
internal import TapedeckMocking

/// The kind of a resource's ids.
package enum IDKind: String, CaseIterable, Sendable {
  /// Counted, and written as JSON numbers.
  case number
  /// Counted, and written as texts.
  case text
  case uuid

  /// The kind of given ids.
  package init(of ids: [JSONValue]) {
    let texts = ids.compactMap(\.text)
    if texts.isEmpty {
      self = .number
    } else {
      self = texts.count == ids.count && texts.allSatisfy(Self.isUUID) ? .uuid : .text
    }
  }

  private static func isUUID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// The form of an id in JSON.
  func json(_ id: String) -> JSONValue {
    guard self == .number, let number = Int(id), String(number) == id else { return JSONValue(id) }
    return JSONValue(number)
  }

  func strategy(seed: UInt64) -> IDStrategy { self == .uuid ? .uuid(seed: seed) : .counter(from: 1) }
}

extension JSONValue {
  /// The id that this value stands for: a text that is not empty, or a whole number.
  package var idText: String? {
    switch self {
    case .string(let string): string.text.isEmpty ? nil : string.text
    case .number(let number): number.int.map { String($0) }
    default: nil
    }
  }
}
