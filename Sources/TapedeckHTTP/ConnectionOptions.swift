/// What a client asks of its connection (RFC 9110 §7.6.1).
enum ConnectionOptions {
  /// Whether `Connection` says `close`. One that nominates a framing field is refused: whoever obeyed it on the way
  /// would read another message than we do.
  static func askToClose(_ fields: HTTPFields) throws(HTTPParseError) -> Bool {
    var closes = false
    var next = fields.index(of: "connection")
    while let index = next {
      next = fields.index(of: "connection", from: index + 1)
      for member in fields.value(at: index).split(separator: ASCII.comma) {
        let option = member.trimmingBlanks()
        if ASCII.equal(option, lowercase: "close") { closes = true }
        guard !ASCII.equal(option, lowercase: "content-length"),
          !ASCII.equal(option, lowercase: "transfer-encoding")
        else { throw .nominatedFraming }
      }
    }
    return closes
  }
}
