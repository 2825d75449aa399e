/// The options of a client's connection (RFC 9110 §7.6.1).
struct ConnectionOptions: Sendable {
  private(set) var closes = false
  private(set) var upgrades = false

  init() {}

  /// Throws if a framing field is listed: a proxy that removed it would read a different message.
  init(_ fields: HTTPFields) throws(HTTPParseError) {
    var next = fields.index(of: "connection")
    while let index = next {
      next = fields.index(of: "connection", from: index + 1)
      var rest = fields.value(at: index)
      while let comma = rest.firstIndex(of: ASCII.comma) {
        try read(rest[..<comma].trimmingBlanks())
        rest = rest[(comma + 1)...]
      }
      try read(rest.trimmingBlanks())
    }
  }

  private mutating func read(_ option: ArraySlice<UInt8>) throws(HTTPParseError) {
    if ASCII.equal(option, lowercase: "close") { closes = true }
    if ASCII.equal(option, lowercase: "upgrade") { upgrades = true }
    guard !ASCII.equal(option, lowercase: "content-length"),
      !ASCII.equal(option, lowercase: "transfer-encoding")
    else { throw .nominatedFraming }
  }
}
