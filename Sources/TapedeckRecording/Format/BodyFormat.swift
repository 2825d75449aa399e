import TapedeckHTTP

/// How a body stands in an interaction: as JSON where writing that again gives the same bytes, as lines of text, as
/// base64 when it is short, else in a file of its own. The choice depends on the bytes and the media type alone, so
/// the same exchange is always stored the same way.
enum BodyFormat {
  /// The longest body that stands in the interaction itself.
  static let maximumInlineBytes = 256 * 1024
  /// The longest body that is written as base64.
  static let maximumBase64Bytes = 1024
  /// The longest body that is held in memory.
  static let maximumHeldBytes = 1024 * 1024
  /// How deeply a body that is stored as JSON may nest; less than files may, which hold it some levels down.
  private static let maximumDepth = 500

  /// Whether a body stands inside or beside the interaction.
  enum Form {
    case inside(JSONValue)
    case beside
  }

  static func form(of body: [UInt8], fields: HTTPFields) -> Form {
    guard body.count <= maximumInlineBytes else { return .beside }
    if case .json = MediaType(fields).kind, let json = losslessJSON(body) { return .inside(json) }
    if isText(body) { return .inside(["text": .array(lines(body))]) }
    return body.count <= maximumBase64Bytes ? .inside(ByteString.base64(body)) : .beside
  }

  static func encode(_ file: BodyFile) -> JSONValue {
    ["file": JSONValue(file.name), "size": JSONValue(file.size)]
  }

  private static func losslessJSON(_ body: [UInt8]) -> JSONValue? {
    guard let value = try? JSONValue(parsing: body, maximumDepth: maximumDepth),
      let style = JSONStyle.detect(body, of: value)
    else { return nil }
    return ["json": value, "style": JSONValue(style.description)]
  }

  private static func isText(_ body: [UInt8]) -> Bool {
    body.allSatisfy(Bytes.isText) && UTF8Scan.isValid(body[...])
  }

  /// The text cut behind every line feed.
  private static func lines(_ body: [UInt8]) -> [JSONValue] {
    var lines: [JSONValue] = []
    var start = body.startIndex
    while start < body.endIndex {
      let end = body[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? body.endIndex
      lines.append(ByteString.encode(body[start..<end]))
      start = end
    }
    return lines
  }

  /// - Parameter loader: finds bodies in files.
  static func decode(
    _ value: JSONValue?, at place: EntryPlace, loader: BodyLoader
  ) throws(CassetteError) -> RecordedBody {
    guard let value else { return .bytes([]) }
    let object = try StrictObject(
      value, at: place, known: ["json", "style", "text", "base64", "file", "size"])
    if let json = object["json"] {
      try refuse(["text", "base64", "file", "size"], beside: "json", in: object)
      return .bytes(json.bytes(try style(object)))
    }
    if let text = object["text"] {
      try refuse(["style", "base64", "file", "size"], beside: "text", in: object)
      return .bytes(try decodeText(text, at: place.member("text")))
    }
    if let base64 = object["base64"] {
      try refuse(["style", "file", "size"], beside: "base64", in: object)
      return .bytes(try ByteString.decodeBase64(base64, at: place.member("base64")))
    }
    try refuse(["style"], beside: "file", in: object)
    guard let name = try object.text("file") else {
      throw place.problem("one of `json`, `text`, `base64` or `file` is expected here")
    }
    return try loader.body(name, size: try object.count("size"), at: place)
  }

  private static func refuse(
    _ others: [StaticString], beside name: StaticString, in object: StrictObject
  ) throws(CassetteError) {
    for other in others where object[other] != nil {
      throw object.place.problem("`\(other)` makes no sense beside `\(name)`")
    }
  }

  private static func style(_ object: StrictObject) throws(CassetteError) -> JSONStyle {
    guard let name = try object.text("style") else { return .compact }
    guard let style = JSONStyle(name: name) else {
      throw object.place.member("style").problem(
        "unknown style; known are compact, spaced, tabs and indent-2 or another depth, with or without +newline"
      )
    }
    return style
  }

  private static func decodeText(_ value: JSONValue, at place: EntryPlace) throws(CassetteError) -> [UInt8] {
    var out: [UInt8] = []
    for (index, line) in (value.array ?? [value]).enumerated() {
      guard case .string(let string) = line, let bytes = string.utf8 else {
        throw place.element(index).problem("a string without lone surrogates is expected here")
      }
      out += bytes
    }
    return out
  }
}
