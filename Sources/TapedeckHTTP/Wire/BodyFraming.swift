/// How the end of a message body is found (RFC 9112 §6.3).
public enum BodyFraming: Equatable, Sendable {
  case none
  case length(Int)
  case chunked
  /// A response that ends with the connection.
  case untilClose
}

extension BodyFraming {
  /// The framing of a request. Where the RFC leaves a choice, refuses any repetition or contradiction.
  static func request(_ fields: HTTPFields, version: HTTPVersion) throws(HTTPParseError) -> BodyFraming {
    let length = try contentLength(fields, mayRepeat: false)
    guard let isChunked = try transferEncoding(fields) else { return length.map { .length($0) } ?? .none }
    guard length == nil else { throw .conflictingFraming }
    guard version == .http11, isChunked else { throw .badTransferEncoding }
    return .chunked
  }

  /// The framing of a response to `method`. Accepts what is common and unambiguous: repeated equal
  /// Content-Length, and chunks in HTTP/1.0 (RFC 9112 §6.1, §6.3).
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

  /// Whether a response ends with its head, whatever its fields say (RFC 9110 §6.4.1).
  public static func hasNoBody(status: Int, method: HTTPMethod) -> Bool {
    method == .head || status == 204 || status == 304 || status < 200
  }

  /// The single Content-Length, in decimal digits only.
  /// - Parameter mayRepeat: whether equal values may be repeated, in fields or as a list.
  fileprivate static func contentLength(
    _ fields: HTTPFields, mayRepeat: Bool
  ) throws(HTTPParseError) -> Int? {
    guard let index = fields.index(of: "content-length") else { return nil }
    let isRepeated = fields.repeatsContentLength(of: index)
    if mayRepeat, isRepeated { return try equalLengths(fields) }
    guard !isRepeated else { throw .badContentLength }
    return try decimal(fields.value(at: index))
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

  /// True when the coding is exactly `chunked`; `nil` without the field. Skips empty members (RFC 9110
  /// §5.6.1).
  private static func transferEncoding(_ fields: HTTPFields) throws(HTTPParseError) -> Bool? {
    guard let index = fields.index(of: "transfer-encoding") else { return nil }
    guard fields.index(of: "transfer-encoding", from: index + 1) == nil else { throw .badTransferEncoding }
    let codings = fields.members(of: "transfer-encoding").filter { !$0.isEmpty }
    guard let last = codings.last, ASCII.equal(last, lowercase: "chunked") else { throw .badTransferEncoding }
    let others = codings.dropLast()
    guard !others.contains(lowercase: "chunked") else { throw .badTransferEncoding }
    guard others.isEmpty else { throw .unsupportedTransferCoding }
    return true
  }
}

extension HTTPFields {
  /// Whether the first `Content-Length`, at `index`, is not the only one, or is a list.
  fileprivate func repeatsContentLength(of index: Int) -> Bool {
    self.index(of: "content-length", from: index + 1) != nil || value(at: index).contains(ASCII.comma)
  }

  /// Reduces equal `Content-Length` to one, without leading zeros (RFC 9110 §8.6); returns whether it
  /// repeated.
  public mutating func unifyContentLength() throws(HTTPParseError) -> Bool {
    guard let first = index(of: "content-length") else { return false }
    let isRepeated = repeatsContentLength(of: first)
    let digits = value(at: first)
    guard isRepeated || digits.count > 1 && digits.first == UInt8(ascii: "0"),
      let length = try BodyFraming.contentLength(self, mayRepeat: true)
    else { return false }
    // Cannot fail, because digits are a valid value.
    try? replaceValue(at: first, with: Array("\(length)".utf8))
    let isFurther = indices.map { $0 > first && isNamed("content-length", at: $0) }
    removeSlices { isFurther[$0] }
    return isRepeated
  }
}
