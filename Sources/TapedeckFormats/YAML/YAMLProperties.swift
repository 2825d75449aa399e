internal import TapedeckHTTP

/// What may stand before a node: a name to repeat it by, and a tag that says what it is.
struct YAMLProperties {
  enum Tag { case text, binary }

  var anchor: [UInt8]?
  var tag: Tag?

  var isEmpty: Bool { anchor == nil && tag == nil }

  /// The tags that are known. `!` and `!!python/unicode` are how older versions of the tools mark text.
  static func tag(_ name: [UInt8]) -> Tag? {
    switch String(decoding: name, as: UTF8.self) {
    case "!", "!!str", "!str", "!!python/unicode", "!<tag:yaml.org,2002:str>": .text
    case "!!binary", "!binary", "!<tag:yaml.org,2002:binary>": .binary
    default: nil
    }
  }

  func applied(to value: YAMLValue, _ reader: YAMLReader) throws(YAMLError) -> YAMLValue {
    guard let tag else { return value }
    let bytes: [UInt8]
    switch value {
    case .null: bytes = []
    case .plain(let text), .text(let text): bytes = text
    case .binary, .list, .map: throw reader.failure("this tag goes with a scalar")
    }
    guard tag == .binary else { return .text(bytes) }
    guard let decoded = Base64.decodeTolerant(bytes) else {
      throw reader.failure("the text before this is not base64")
    }
    return .binary(decoded)
  }
}

extension YAMLReader {
  /// The anchor and the tag that stand here, in either order.
  mutating func properties() throws(YAMLError) -> YAMLProperties {
    var properties = YAMLProperties()
    while true {
      let start = index
      skipBlanks()
      switch next {
      case UInt8(ascii: "&"):
        guard properties.anchor == nil else { throw failure("a value has one anchor") }
        index += 1
        properties.anchor = takeName()
      case UInt8(ascii: "!"):
        let place = failure("this tag is not known; known are !!binary and !!str")
        guard properties.tag == nil else { throw failure("a value has one tag") }
        guard let tag = YAMLProperties.tag(takeName()) else { throw place }
        properties.tag = tag
      default:
        index = start
        return properties
      }
      guard isBlankOrEnd(index) else { throw failure("a blank is expected here") }
    }
  }
}
