import TapedeckHTTP
import TapedeckRedaction

/// Writes a body as JSON if that restores the same bytes, as lines of text, as base64 when short, else in its
/// own file. The choice depends only on bytes and media type, so equal bodies are stored alike.
enum BodyFormat {
  static let maximumInlineBytes = 256 * 1024
  static let maximumBase64Bytes = 1024
  static let maximumHeldBytes = 1024 * 1024
  /// The nesting limit of a body stored as JSON; below that of files, where the body is some levels down.
  private static let maximumDepth = 500

  static func write(
    _ body: RecordedBody, fields: HTTPFields, to out: inout JSONOutput, store: InteractionFormat.BodyStore
  ) throws(CassetteError) {
    switch body {
    case .file(let file): write(file, to: &out)
    case .bytes(let bytes): if !write(bytes, fields: fields, to: &out) { write(try store(bytes), to: &out) }
    }
  }

  /// Writes a body; returns `false`, with nothing written, if it belongs in its own file.
  private static func write(_ body: [UInt8], fields: HTTPFields, to out: inout JSONOutput) -> Bool {
    guard body.count <= maximumInlineBytes else { return false }
    if case .json = MediaType(fields).kind, let json = JSONCompaction(body, maximumDepth: maximumDepth) {
      out.beginObject()
      out.member(Member.json)
      out.value(json)
      out.member(Member.style, text: json.style.description)
      out.endObject()
    } else if body.allSatisfy(ASCII.isText), UTF8Scan.isValid(body[...]) {
      write(text: body, to: &out)
    } else {
      guard body.count <= maximumBase64Bytes else { return false }
      out.value(ByteString.base64(body))
    }
    return true
  }

  private static func write(_ file: BodyFile, to out: inout JSONOutput) {
    out.beginObject()
    out.member(Member.file, text: file.name)
    out.member(Member.size, number: file.size)
    out.endObject()
  }

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

  /// The members of a body: one for each form, and one that may accompany `json` or `file`.
  private enum Member: String, FormatMember {
    case json, style, text, base64, file, size

    static let all = allCases

    var form: Member {
      switch self {
      case .style: .json
      case .size: .file
      default: self
      }
    }
  }

  fileprivate static func decode(
    _ value: JSONValue, at place: JSONPlace
  ) throws(JSONProblem) -> (bytes: [UInt8]?, file: String, size: Int?) {
    let object = try StrictObject(value, at: place, of: Member.self)
    guard let form = Member.all.first(where: { $0.form == $0 && object[$0] != nil }),
      let content = object[form]
    else { throw place.problem("one of `json`, `text`, `base64` or `file` is expected here") }
    for other in Member.all where other.form != form && object[other] != nil {
      throw place.problem("`\(other.rawValue)` makes no sense beside `\(form.rawValue)`")
    }
    switch form {
    case .json: return (content.bytes(try style(object)), "", nil)
    case .text: return (try decodeText(content, at: place.member(form)), "", nil)
    case .base64: return (try ByteString.decodeBase64(content, at: place.member(form)), "", nil)
    default: return (nil, try object.text(Member.file.rawValue) ?? "", try object.int(Member.size.rawValue))
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

/// Reads bodies, checking body files against their names; each is checked and held once. Not thread-safe.
package final class BodyLoader {
  /// `nil` for an interaction outside any cassette, which has no files.
  private let directory: CassetteDirectory?
  private let readsFiles: Bool
  private var sizes: [String: Int] = [:]
  private var held: [String: [UInt8]] = [:]

  /// - Parameter readsFiles: if `false`, a body in a file is known only by its name and stored size.
  package init(directory: CassetteDirectory?, readsFiles: Bool = true) {
    self.directory = directory
    self.readsFiles = readsFiles
  }

  func body(
    _ value: JSONValue?, at place: JSONPlace, in file: String
  ) throws(CassetteError) -> RecordedBody {
    guard let value else { return .bytes([]) }
    let (bytes, name, size) = try CassetteError.naming(file) { () throws(JSONProblem) in
      try BodyFormat.decode(value, at: place)
    }
    if let bytes { return .bytes(bytes) }
    guard BodyFile.isName(name) else {
      throw .invalidBody(
        file: file, body: name, problem: "is not called `bodies/` and 32 hexadecimal digits and `.bin`")
    }
    guard let directory else {
      throw CassetteError(place.problem("a body in a file has no place outside a cassette"), in: file)
    }
    do throws(CassetteError) {
      if !readsFiles { return .file(BodyFile(name: name, size: size ?? 0, directory: directory)) }
      return try body(name, size: size, in: directory)
    } catch .system(_, _, _, let reason) {
      throw .invalidBody(file: file, body: name, problem: "cannot be read (\(reason))")
    } catch .notAPlainFile {
      throw .invalidBody(
        file: file, body: name, problem: "is not a plain file, or bodies/ is no plain folder")
    } catch .invalidEntry(_, _, let problem) {
      throw .invalidBody(file: file, body: name, problem: problem)
    }
  }

  private func body(
    _ name: String, size: Int?, in directory: CassetteDirectory
  ) throws(CassetteError) -> RecordedBody {
    let file = try directory.openBody(name)
    let actual = try file.status().size
    func require(_ isRight: Bool, _ problem: @autoclosure () -> String) throws(CassetteError) {
      if !isRight { throw .invalidEntry(file: name, member: "", problem: problem()) }
    }
    func verify(_ digest: SHA256Digest) throws(CassetteError) {
      try require(
        BodyFile.name(digest: digest) == name, "does not hold the content that its name stands for")
    }
    try require(size == nil || size == actual, "has \(actual) bytes where `size` says \(size ?? 0)")
    try require(
      actual <= CassetteLimits.bodyFileBytes,
      "has \(actual) bytes, more than the limit of \(CassetteLimits.bodyFileBytes)")
    guard actual > BodyFormat.maximumHeldBytes else {
      if let bytes = held[name], bytes.count == actual { return .bytes(bytes) }
      let bytes = try file.bytes(at: 0, count: actual)
      try verify(SHA256Digest(of: bytes))
      held[name] = bytes
      return .bytes(bytes)
    }
    if sizes[name] != actual {
      try verify(BodyFileReader(file, name: name, size: actual).digest())
      sizes[name] = actual
    }
    return .file(BodyFile(name: name, size: actual, directory: directory))
  }
}
