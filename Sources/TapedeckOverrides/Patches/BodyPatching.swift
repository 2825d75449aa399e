internal import TapedeckHTTP
internal import TapedeckRedaction

/// Applies patches to a body, which is parsed when the first patch needs it and written once.
struct BodyPatching {
  private let fields: HTTPFields
  private let original: [UInt8]
  private var bytes: [UInt8]
  /// `bytes` as JSON; `nil` once another kind of patch has changed them.
  private var document: (value: JSONValue, style: JSONStyle)?
  private var isDocumentChanged = false

  /// - Parameter content: the body without its content coding.
  init(_ content: [UInt8], fields: HTTPFields) {
    self.fields = fields
    original = content
    bytes = content
  }

  /// Applies one patch.
  /// - Returns: the reasons why parts of it could not be applied.
  mutating func apply(_ patch: Patch) -> [String] {
    var problems: [String] = []
    if !patch.json.isEmpty { problems += edit(patch.json) }
    if let jsonPatch = patch.jsonPatch { problems += apply(jsonPatch) }
    if !patch.replacements.isEmpty { problems += replace(patch.replacements) }
    if let length = patch.truncate { problems += truncate(to: length) }
    return problems
  }

  /// Applies an edit to the data of an event, as far as it concerns them.
  /// - Returns: the reasons why parts of it could not be applied.
  mutating func apply(_ event: EventEdit) -> [String] { apply(event.json, event.replacements) }

  /// Applies an edit to the content of a message, as far as it concerns that.
  /// - Returns: the reasons why parts of it could not be applied.
  mutating func apply(_ message: MessageEdit) -> [String] { apply(message.json, message.replacements) }

  private mutating func apply(_ json: [JSONEdit], _ replacements: [(text: String, with: String)]) -> [String]
  {
    var problems = json.isEmpty ? [] : edit(json)
    if !replacements.isEmpty { problems += replace(replacements) }
    return problems
  }

  /// The patched body; `nil` if it is unchanged.
  mutating func finish() -> [UInt8]? {
    write()
    return bytes == original ? nil : bytes
  }

  // MARK: JSON

  private mutating func read() -> JSONValue? {
    if let document { return document.value }
    guard let value = try? JSONValue(parsing: bytes) else { return nil }
    document = (value, JSONStyle.detect(bytes, of: value) ?? .compact)
    return value
  }

  private mutating func change(_ value: JSONValue) {
    document?.value = value
    isDocumentChanged = true
  }

  private mutating func write() {
    guard isDocumentChanged, let document else { return }
    bytes = document.value.bytes(document.style)
    isDocumentChanged = false
  }

  private mutating func edit(_ edits: [JSONEdit]) -> [String] {
    guard var value = read() else { return ["the body is not JSON"] }
    var problems: [String] = []
    for edit in edits {
      if let next = edit.applied(to: value) {
        value = next
        change(next)
      } else {
        problems.append(edit.problem)
      }
    }
    return problems
  }

  private mutating func apply(_ patch: JSONPatch) -> [String] {
    guard let value = read() else { return ["the body is not JSON"] }
    do throws(JSONPatchError) { change(try patch.applied(to: value)) } catch {
      return ["jsonPatch left out: \(error)"]
    }
    return []
  }

  // MARK: Text

  private mutating func replace(_ replacements: [(text: String, with: String)]) -> [String] {
    write()
    document = nil
    guard isText else { return ["the body is not text"] }
    return replacements.compactMap { replacement in
      guard let text = TextCharset.encode(Array(replacement.text.utf8), as: fields),
        let with = TextCharset.encode(Array(replacement.with.utf8), as: fields)
      else { return "the body's charset lacks a character of \(replacement.text.debugDescription)" }
      guard let changed = bytes.replacingAll(text, with: with) else {
        return "\(replacement.text.debugDescription) is not in the body"
      }
      bytes = changed
      return nil
    }
  }

  private var isText: Bool {
    MediaType(fields).isText
      || (!fields.contains("content-type") && String(validating: bytes, as: UTF8.self) != nil)
  }

  private mutating func truncate(to length: Int) -> [String] {
    write()
    guard bytes.count > length else { return ["the body has no more than \(length) bytes"] }
    document = nil
    bytes.removeLast(bytes.count - length)
    return []
  }
}

extension JSONEdit {
  fileprivate var problem: String {
    switch self {
    case .set, .remove: "\(path) selects nothing"
    case .append: "\(path) does not select a list"
    }
  }
}

extension [UInt8] {
  /// Returns `nil` if it does not contain `part`, which must not be empty.
  fileprivate func replacingAll(_ part: [UInt8], with other: [UInt8]) -> [UInt8]? {
    guard let first = part.first else { return nil }
    var out: [UInt8] = []
    var done = 0
    var next = 0
    withUnsafeBufferPointer { bytes in
      while next + part.count <= bytes.count, let start = bytes[next...].firstIndex(of: first) {
        guard start + part.count <= bytes.count, bytes[start..<start + part.count].elementsEqual(part) else {
          next = start + 1
          continue
        }
        out.append(contentsOf: bytes[done..<start])
        out.append(contentsOf: other)
        done = start + part.count
        next = done
      }
      if done > 0 { out.append(contentsOf: bytes[done...]) }
    }
    return done > 0 ? out : nil
  }
}
