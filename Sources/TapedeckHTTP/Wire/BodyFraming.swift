/// How the end of a message body is found, in one place for both directions (RFC 9112 §6.3).
public enum BodyFraming: Equatable, Sendable {
  case none
  case length(Int)
  case chunked
  /// A response that ends where the connection ends.
  case untilClose
}

extension BodyFraming {
  /// The framing of a request. Where the RFC leaves a choice, the reading that leaves one meaning is taken: any
  /// repetition or contradiction is refused.
  static func request(_ fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> BodyFraming {
    let length = try contentLength(fields, mayRepeat: false)
    guard let isChunked = try transferEncoding(fields) else { return length.map { .length($0) } ?? .none }
    guard length == nil else { throw .conflictingFraming }
    guard version == .http11, isChunked else { throw .badTransferEncoding }
    return .chunked
  }

  /// The framing of a response to `method`. What is common among origins and has one meaning is read: an equal
  /// Content-Length more than once, and chunks in HTTP/1.0 (RFC 9112 §6.1, §6.3).
  public static func response(
    _ head: HTTPResponseHead, to method: HTTPMethod
  ) throws(HTTPParseError) -> BodyFraming {
    let length = try contentLength(head.fields, mayRepeat: true)
    let isChunked = try transferEncoding(head.fields)
    if isChunked != nil, length != nil { throw .conflictingFraming }
    if hasNoBody(status: head.status, method: method) { return .none }
    if isChunked != nil { return .chunked }
    return length.map { .length($0) } ?? .untilClose
  }

  /// Responses that end with their head, whatever their fields say (RFC 9110 §6.4.1).
  public static func hasNoBody(status: Int, method: HTTPMethod) -> Bool {
    method == .head || status == 204 || status == 304 || status < 200
  }

  /// The one Content-Length, in decimal digits only.
  /// - Parameter mayRepeat: whether it may come more than once, in fields or as a list, with equal values.
  fileprivate static func contentLength(
    _ fields: HTTPFields, mayRepeat: Bool
  ) throws(HTTPParseError) -> Int? {
    guard let index = fields.index(of: "content-length") else { return nil }
    if mayRepeat, fields.repeatsContentLength { return try equalLengths(fields) }
    let length = try decimal(fields.value(at: index))
    guard fields.index(of: "content-length", from: index + 1) == nil else { throw .badContentLength }
    return length
  }

  private static func equalLengths(_ fields: HTTPFields) throws(HTTPParseError) -> Int? {
    var common: Int?
    for value in fields.values(of: "content-length") {
      for member in value.split(separator: ASCII.comma, omittingEmptySubsequences: false) {
        let length = try decimal(member.trimmingBlanks())
        guard common == nil || common == length else { throw .badContentLength }
        common = length
      }
    }
    return common
  }

  private static func decimal(_ digits: ArraySlice<UInt8>) throws(HTTPParseError) -> Int {
    guard !digits.isEmpty, digits.count <= 40 else { throw .badContentLength }
    var value = 0
    for digit in digits {
      guard ASCII.isDigit(digit) else { throw .badContentLength }
      let (tens, overflowTens) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowSum) = tens.addingReportingOverflow(Int(digit &- 0x30))
      guard !overflowTens, !overflowSum else { throw .badContentLength }
      value = sum
    }
    return value
  }

  /// True when the coding is exactly `chunked`; nil without the field. Empty list members are skipped, as RFC 9110
  /// §5.6.1 asks; a second field, another coding or a parameter is refused.
  private static func transferEncoding(_ fields: HTTPFields) throws(HTTPParseError) -> Bool? {
    guard let index = fields.index(of: "transfer-encoding") else { return nil }
    guard fields.index(of: "transfer-encoding", from: index + 1) == nil else { throw .badTransferEncoding }
    let codings = fields.value(at: index).split(separator: ASCII.comma).map { $0.trimmingBlanks() }.filter {
      !$0.isEmpty
    }
    guard let last = codings.last, ASCII.equal(last, lowercase: "chunked") else { throw .badTransferEncoding }
    let others = codings.dropLast()
    guard !others.contains(where: { ASCII.equal($0, lowercase: "chunked") }) else {
      throw .badTransferEncoding
    }
    guard others.isEmpty else { throw .unsupportedTransferCoding }
    return true
  }
}

extension HTTPFields {
  /// Whether `Content-Length` stands there more than once, in fields or as a list.
  fileprivate var repeatsContentLength: Bool {
    guard let index = index(of: "content-length") else { return false }
    return self.index(of: "content-length", from: index + 1) != nil || value(at: index).contains(ASCII.comma)
  }

  /// Writes the `Content-Length` of a response once, without leading zeros (RFC 9110 §8.6). Returns whether it was
  /// repeated, which only equal values may be.
  public mutating func unifyContentLength() throws(HTTPParseError) -> Bool {
    guard let first = index(of: "content-length") else { return false }
    let isRepeated = repeatsContentLength
    let digits = value(at: first)
    guard isRepeated || digits.count > 1 && digits.first == UInt8(ascii: "0"),
      let length = try BodyFraming.contentLength(self, mayRepeat: true)
    else { return false }
    // Digits are a field value always.
    try? replaceValue(at: first, with: Array("\(length)".utf8))
    let isFurther = indices.map { $0 > first && isNamed("content-length", at: $0) }
    removeSlices { isFurther[$0] }
    return isRepeated
  }
}
