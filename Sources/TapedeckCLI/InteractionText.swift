internal import TapedeckHTTP
internal import TapedeckRecording

/// One interaction, readable: JSON indented, binary bodies named by their size.
struct InteractionText {
  let style: Style
  /// Leaves out what differs between two recordings of the same thing.
  var hidesVolatile = false

  func text(_ answer: StoredInteraction) -> String {
    style.paint(Printable.line(answer.fileName), .bold) + "\n" + text(answer.interaction)
  }

  func text(_ interaction: Interaction) -> String {
    let (request, response) = (interaction.request, interaction.response)
    var text =
      "\(mark(">")) \(style.paint(request.method.rawValue, .bold)) \(Printable.line(request.targetText))\n"
    text += fields(request.fields, ">")
    text += body(interaction.largeRequestBody.map { .file($0) } ?? .bytes(request.body), request.fields)
    text += fields(request.trailers, ">")
    for interim in response.interim { text += head(interim) }
    text += head(response.head) + body(response.body, response.head.fields)
    if response.isCutByClient { text += style.paint("(cut here: the client left)", .dim) + "\n" }
    return text + fields(response.trailers, "<")
  }

  private func head(_ head: HTTPResponseHead) -> String {
    let status = style.paint("\(head.status)", Style.color(ofStatus: head.status))
    let reason = head.reason.isEmpty ? "" : " " + Printable.line(head.reason)
    return "\(mark("<")) \(status)\(reason)\n" + fields(head.fields, "<")
  }

  private func mark(_ mark: String) -> String { style.paint(mark, .dim) }

  private func fields(_ fields: HTTPFields, _ direction: String) -> String {
    fields.filter { !(hidesVolatile && direction == "<" && $0.isNamed("date")) }.map { field in
      let value = field.value.isEmpty ? "" : " " + Printable.line(field.value)
      return "\(mark(direction)) \(style.paint(Printable.line(field.name), .cyan)):\(value)\n"
    }.joined()
  }

  private func body(_ body: RecordedBody, _ fields: HTTPFields) -> String {
    guard let opened = body.opened(fields) else { return self.body(body) }
    return style.paint("(\(HumanText.size(body.count)) of \(opened.coding), decoded)", .dim) + "\n"
      + self.body(.bytes(opened.content))
  }

  private func body(_ body: RecordedBody) -> String {
    switch body {
    case .bytes([]): return ""
    case .file(let file): return "(\(HumanText.size(file.size)) in \(file.name))\n"
    case .bytes(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        return "(\(HumanText.size(bytes.count)) of binary data)\n"
      }
      if let json = try? JSONValue(parsing: bytes) {
        return Printable.lines(String(decoding: json.bytes(.pretty), as: UTF8.self))
      }
      let shown = Printable.lines(text)
      return shown.hasSuffix("\n") ? shown : shown + "\n"
    }
  }
}
