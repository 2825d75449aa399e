enum TemplateNode: Sendable {
  case text(String)
  /// An empty path is the value itself.
  case value([String], isEscaped: Bool)
  case section([String], isInverted: Bool, [TemplateNode])
}

/// Parses a template. A line with only a section tag or a comment is removed.
struct TemplateReader {
  private let name: String
  private var rest: Substring
  private var line = 1
  private var nodes: [TemplateNode] = []
  /// The open sections, and the nodes before each.
  private var open: [(name: String, isInverted: Bool, line: Int, before: [TemplateNode])] = []
  /// Whether the line has only blanks so far.
  private var isAtLineStart = true

  init(name: String = "template", rest: Substring) {
    self.name = name
    self.rest = rest
  }

  mutating func read() throws(TemplateError) -> [TemplateNode] {
    while let opening = rest.firstRange(of: "{{") {
      take(upTo: opening.lowerBound)
      rest.removeFirst(2)
      try tag()
    }
    take(upTo: rest.endIndex)
    if let open = open.last { throw problem("{{#\(open.name)}} is never closed", line: open.line) }
    return nodes
  }

  private mutating func take(upTo end: Substring.Index) {
    let text = rest[..<end]
    rest = rest[end...]
    guard !text.isEmpty else { return }
    nodes.append(.text(String(text)))
    line += text.count { $0.isNewline }
    let tail = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last ?? ""
    isAtLineStart = (isAtLineStart || tail.count < text.count) && tail.allSatisfy { $0 == " " || $0 == "\t" }
  }

  private mutating func tag() throws(TemplateError) {
    let isTriple = rest.first == "{"
    let mark = isTriple ? "}}}" : "}}"
    guard let closing = rest.firstRange(of: mark) else { throw problem("{{ without }}") }
    var content = rest[..<closing.lowerBound].drop(while: \.isWhitespace)
    rest = rest[closing.upperBound...]
    defer { line += content.count { $0.isNewline } }
    if isTriple {
      isAtLineStart = false
      return nodes.append(.value(try path(content.dropFirst()), isEscaped: false))
    }
    switch content.first {
    case "#", "^", "/", "!":
      let sigil = content.removeFirst()
      let line = line
      removeLoneLine()
      try structure(sigil, content, line: line)
    case "&":
      isAtLineStart = false
      nodes.append(.value(try path(content.dropFirst()), isEscaped: false))
    case ">": throw problem("{{\(content)}}: there are no partials here; put the text in its place")
    case "=": throw problem("{{\(content)}}: other delimiters are not understood; keep {{ and }}")
    default:
      isAtLineStart = false
      nodes.append(.value(try path(content), isEscaped: true))
    }
  }

  private mutating func structure(_ sigil: Character, _ content: Substring, line: Int) throws(TemplateError) {
    guard sigil != "!" else { return }
    let path = try path(content)
    let name = path.isEmpty ? "." : path.joined(separator: ".")
    guard sigil == "/" else {
      open.append((name, sigil == "^", line, nodes))
      nodes = []
      return
    }
    guard let section = open.popLast() else {
      throw problem("{{/\(name)}} closes what was never opened", line: line)
    }
    guard section.name == name else {
      throw problem("{{/\(name)}} stands where {{/\(section.name)}} must come first", line: line)
    }
    nodes = section.before + [.section(path, isInverted: section.isInverted, nodes)]
  }

  private mutating func removeLoneLine() {
    let tail = rest.drop { $0 == " " || $0 == "\t" }
    guard isAtLineStart, tail.isEmpty || tail.first?.isNewline == true else {
      isAtLineStart = false
      return
    }
    rest = tail.dropFirst()
    line += tail.isEmpty ? 0 : 1
    if case .text(let text)? = nodes.last {
      let kept = text.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
      nodes[nodes.count - 1] = .text(String(kept))
    }
  }

  private func path(_ text: Substring) throws(TemplateError) -> [String] {
    let name = text.split(whereSeparator: \.isWhitespace)
    guard name.count == 1, let name = name.first else {
      throw problem(name.isEmpty ? "{{ }} names nothing" : "{{\(text)}}: a name has no blanks")
    }
    if name == "." { return [] }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains("") else { throw problem("{{\(name)}}: a part of the name is empty") }
    return parts
  }

  private func problem(_ problem: String, line: Int? = nil) -> TemplateError {
    TemplateError(place: "\(name):\(line ?? self.line)", problem: problem)
  }
}
