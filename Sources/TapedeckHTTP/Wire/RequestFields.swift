/// The field lines of a request head, read, and what they say about their message.
///
/// All of it follows from the bytes of the lines and from the version. So lines that are those of the request before,
/// as a client's mostly are, need not be read again.
struct RequestFields: Sendable {
  let version: HTTPVersion
  /// They share the lines as they came, the blank one included.
  let fields: HTTPFields
  /// Empty where HTTP/1.0 goes without.
  let host: [UInt8]
  let connection: ConnectionOptions
  let expectsContinue: Bool
  let framing: BodyFraming

  /// None, of no request.
  init() {
    version = .http10
    fields = HTTPFields()
    host = []
    connection = ConnectionOptions()
    expectsContinue = false
    framing = .none
  }

  /// - Parameters:
  ///   - lines: from the first field line to behind the blank one.
  ///   - count: how many fields there are.
  init(
    _ lines: UnsafeRawBufferPointer, count: Int, version: HTTPVersion, limits: HTTPLimits
  ) throws(HTTPParseError) {
    self.version = version
    fields = try Self.parse(lines, count, limits)
    host = try Self.host(fields, version: version)
    connection = try ConnectionOptions(fields)
    expectsContinue = try Self.expectsContinue(fields, version: version)
    framing = try BodyFraming.request(fields, version: version)
  }

  /// The request with that line before them, its body to come.
  func request(_ line: consuming RequestLine) -> HTTPRequest {
    let isAbsolute = line.authority != nil
    var request = HTTPRequest(
      method: line.method, target: line.target, version: line.version, fields: fields,
      authority: line.authority ?? host, keepsAlive: line.version == .http11 && !connection.closes)
    request.isAbsoluteForm = isAbsolute
    request.asksForUpgrade = connection.upgrades
    return request
  }

  /// The lines are copied once; fields are offsets into the copy.
  private static func parse(
    _ lines: UnsafeRawBufferPointer, _ count: Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> HTTPFields {
    var slices: [HTTPFields.Slice] = []
    slices.reserveCapacity(count)
    var lineStart = 0
    while lineStart + 2 < lines.count {
      guard slices.count < limits.fieldCount else { throw .tooManyFields }
      let lineEnd = ASCII.firstLineFeed(lines, from: lineStart) ?? lines.count
      slices.append(try FieldLineParser.parse(lines, lineStart, lineEnd - 1))
      lineStart = lineEnd + 1
    }
    return HTTPFields(storage: Array(lines), slices: slices)
  }

  /// The one Host of HTTP/1.1 (RFC 9112 §3.2); HTTP/1.0 may go without.
  private static func host(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> [UInt8] {
    guard let index = fields.index(of: "host") else {
      guard version == .http10 else { throw .badHost }
      return []
    }
    guard fields.index(of: "host", from: index + 1) == nil else { throw .badHost }
    let host = fields.value(at: index)
    guard host.isEmpty || Authority.isValid(host) else { throw .badHost }
    return Authority.withoutEmptyPort(host)
  }

  private static func expectsContinue(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> Bool {
    guard version == .http11, let index = fields.index(of: "expect") else { return false }
    guard fields.index(of: "expect", from: index + 1) == nil,
      ASCII.equal(fields.value(at: index), lowercase: "100-continue")
    else { throw .unsupportedExpectation }
    return true
  }
}
