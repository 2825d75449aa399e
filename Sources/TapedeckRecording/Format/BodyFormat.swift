import TapedeckHTTP

/// How a body is written in an interaction: as JSON where writing that again gives the same bytes, as lines of text, as
/// base64 when it is short, else in a file of its own. The choice depends on the bytes and the media type alone, so
/// the same exchange is always stored the same way.
enum BodyFormat {
  /// The longest body that is written in the interaction itself.
  static let maximumInlineBytes = 256 * 1024
  /// The longest body that is written as base64.
  static let maximumBase64Bytes = 1024
  /// The longest body that is held in memory.
  static let maximumHeldBytes = 1024 * 1024
  /// How deeply a body that is stored as JSON may nest; less than files may, which hold it some levels down.
  private static let maximumDepth = 500

  /// Writes a body into the interaction; returns false, with nothing written, when it belongs in a file of its own.
  static func write(_ body: [UInt8], fields: HTTPFields, to out: inout JSONOutput) -> Bool {
    guard body.count <= maximumInlineBytes else { return false }
    if case .json = MediaType(fields).kind, let json = JSONCompaction(body, maximumDepth: maximumDepth) {
      write(json, to: &out)
      return true
    }
    if isText(body) {
      write(text: body, to: &out)
      return true
    }
    guard body.count <= maximumBase64Bytes else { return false }
    out.value(ByteString.base64(body))
    return true
  }

  static func write(_ file: BodyFile, to out: inout JSONOutput) {
    out.beginObject()
    out.member(Member.file)
    out.string(file.name)
    out.member(Member.size)
    out.number(file.size)
    out.endObject()
  }

  private static func write(_ json: JSONCompaction, to out: inout JSONOutput) {
    out.beginObject()
    out.member(Member.json)
    out.value(json)
    out.member(Member.style)
    out.string(json.style.description)
    out.endObject()
  }

  private static func isText(_ body: [UInt8]) -> Bool {
    body.allSatisfy(ASCII.isText) && UTF8Scan.isValid(body[...])
  }

  /// Writes the text cut behind every line feed.
  private static func write(text: [UInt8], to out: inout JSONOutput) {
    out.beginObject()
    out.member(Member.text)
    out.beginArray()
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.endIndex
      ByteString.write(text[start..<end], to: &out)
      start = end
    }
    out.endArray()
    out.endObject()
  }

  /// The members of a body: one for each way to write it, and one that may accompany `json` and `file` each.
  private enum Member: String, FormatMember {
    case json, style, text, base64, file, size

    static let all = allCases

    /// The way to write a body that this member belongs to.
    var form: Member {
      switch self {
      case .style: .json
      case .size: .file
      default: self
      }
    }
  }

  /// A body as it is written in an interaction.
  enum Decoded {
    case bytes([UInt8])
    case file(name: String, size: Int?)
  }

  static func decode(_ value: JSONValue?, at place: JSONPlace) throws(JSONProblem) -> Decoded {
    guard let value else { return .bytes([]) }
    let object = try StrictObject(value, at: place, of: Member.self)
    guard let form = Member.all.first(where: { $0.form == $0 && object[$0] != nil }),
      let content = object[form]
    else { throw place.problem("one of `json`, `text`, `base64` or `file` is expected here") }
    for other in Member.all where other.form != form && object[other] != nil {
      throw place.problem("`\(other.rawValue)` makes no sense beside `\(form.rawValue)`")
    }
    switch form {
    case .json: return .bytes(content.bytes(try style(object)))
    case .text: return .bytes(try decodeText(content, at: place.member(form)))
    case .base64: return .bytes(try ByteString.decodeBase64(content, at: place.member(form)))
    default:
      return .file(
        name: try object.text(Member.file.rawValue) ?? "", size: try object.int(Member.size.rawValue))
    }
  }

  private static func style(_ object: StrictObject) throws(JSONProblem) -> JSONStyle {
    guard let name = try object.text(Member.style.rawValue) else { return .compact }
    guard let style = JSONStyle(name: name) else {
      throw object.place.member(Member.style).problem(
        "unknown style; known are compact, spaced, tabs and indent-2 or another depth, with or without +newline"
      )
    }
    return style
  }

  private static func decodeText(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> [UInt8] {
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
