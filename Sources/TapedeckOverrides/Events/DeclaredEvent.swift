internal import TapedeckHTTP
internal import TapedeckMocking

/// An event declared in JSON: `event`, `id`, `retry`, `comment`, and `json` or `data`.
struct DeclaredEvent: Sendable {
  private enum Data: Sendable {
    case text(String, Template?)
    case json(JSONTemplate)
  }

  private let name: String?
  let id: String?
  private let retry: Int?
  private let comment: String?
  private let data: Data?
  /// The time before it; `nil` for that of its stream.
  let delay: RuleDelay?

  init(_ reader: inout RuleReader, _ templates: RuleTemplates) throws(OverrideProblem) {
    name = try Self.line("event", &reader)
    id = try Self.line("id", &reader)
    retry = try reader.int("retry", in: 0...Int.max)
    comment = try reader.text("comment")
    delay = try reader.read("delay", RuleDelay.init)
    let json = try reader.read("json", templates.json)
    let text = try reader.text("data")
    if let json {
      guard text == nil else { throw reader.problem("data", "excludes json: the data are one of them") }
      data = .json(json)
    } else if let text {
      data = .text(text, try templates.template(text, at: reader.place(of: "data")))
    } else {
      data = nil
    }
    try reader.finish()
    guard data != nil || name == nil && id == nil, data != nil || comment != nil || retry != nil else {
      throw OverrideProblem(reader.place, "needs data or json; without them it is no event")
    }
  }

  static func list(
    _ templates: RuleTemplates
  ) -> (JSONValue, _ place: String) throws(OverrideProblem) -> [DeclaredEvent] {
    { value, place throws(OverrideProblem) in
      guard let items = value.array, !items.isEmpty else {
        throw OverrideProblem(place, "must be a list of events like {\"json\": {\"n\": 1}}")
      }
      return try items.read(at: place) { item, place throws(OverrideProblem) in
        var reader = try RuleReader(item, at: place)
        return try DeclaredEvent(&reader, templates)
      }
    }
  }

  /// A value that is one line.
  private static func line(
    _ name: String, _ reader: inout RuleReader
  ) throws(OverrideProblem) -> String? {
    guard let text = try reader.text(name) else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 != 0x0A && $0 != 0x0D && $0 != 0 }) else {
      throw reader.problem(name, "must be one line, and not empty")
    }
    return text
  }

  /// The bytes of the event. One without data is nothing in a stream of lines.
  func bytes(_ form: EventStreamForm, _ values: RequestValues) -> [UInt8] {
    let content: [UInt8]? =
      switch data {
      case .text(let text, let template): Array((template?.rendered(values.value) ?? text).utf8)
      case .json(let json): json.rendered(values).bytes(.compact)
      case nil: nil
      }
    let lineFeed = [ASCII.lineFeed]
    guard form == .serverSent else {
      // A line end would end the line; JSON needs none.
      return content.map { $0.map { $0 == 0x0A || $0 == 0x0D ? ASCII.space : $0 } + lineFeed } ?? []
    }
    var out: [UInt8] = []
    for line in comment?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] {
      out += Array(": \(line)\n".utf8)
    }
    if let name { out += Array("event: \(name)\n".utf8) }
    if let id { out += Array("id: \(id)\n".utf8) }
    if let retry { out += Array("retry: \(retry)\n".utf8) }
    if let content { StreamEvent.append(data: content, end: lineFeed, to: &out) }
    return out + lineFeed
  }
}
