import CYAML
import TapedeckHTTP

/// A syntax error, or YAML that is not read here. Lines and columns count from 1, columns in characters.
struct YAMLError: Error, Equatable {
  var problem: String
  var line: Int
  var column: Int
}

/// Reads one YAML document by libyaml's events, as PyYAML, Ruby's Psych and Go's yaml write it: collections, scalars of
/// every style, `!!binary`, and anchors with the aliases that repeat them.
///
/// Everything else is refused by line and column: other tags, merged keys, keys that are collections, several documents.
/// Recursion is bounded by `maximumDepth`, what aliases repeat by `repeatedNodes`.
struct YAMLReader: ~Copyable {
  static let maximumDepth = 100
  /// How many more values there may be than bytes; only aliases make so many.
  static let repeatedNodes = 100_000

  private let bytes: [UInt8]
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var anchors: [String: (value: YAMLValue, nodes: Int)] = [:]
  private var nodes = 0

  static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLValue {
    guard !bytes.isEmpty else { return .null }
    return try bytes.withUnsafeBufferPointer { input throws(YAMLError) in
      var reader = YAMLReader(bytes, input)
      return try reader.document()
    }
  }

  /// - Parameter input: the bytes, which the parser reads as long as it lives.
  private init(_ bytes: [UInt8], _ input: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    parser = .allocate(capacity: 1)
    precondition(yaml_parser_initialize(parser) == 1, "out of memory")
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  // MARK: Nodes

  private mutating func document() throws(YAMLError) -> YAMLValue {
    _ = try next()
    let start = try next()
    guard start.kind != YAML_STREAM_END_EVENT else { return .null }
    try require(!start.hasDirectives, "directives are not read", start)
    let value = try node(try next(), depth: 0)
    _ = try next()
    let end = try next()
    try require(end.kind == YAML_STREAM_END_EVENT, "a second document is not read", end)
    return value
  }

  private mutating func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLValue {
    try require(depth <= Self.maximumDepth, "more than \(Self.maximumDepth) levels of nesting", event)
    let before = nodes
    try count(1, event)
    let value =
      switch event.kind {
      case YAML_ALIAS_EVENT: try repeated(event)
      case YAML_SEQUENCE_START_EVENT: try list(event, depth: depth)
      case YAML_MAPPING_START_EVENT: try map(event, depth: depth)
      default: try scalar(event)
      }
    if event.kind != YAML_ALIAS_EVENT, let anchor = event.anchor { anchors[anchor] = (value, nodes - before) }
    return value
  }

  private mutating func repeated(_ event: Event) throws(YAMLError) -> YAMLValue {
    guard let (value, nodes) = anchors[event.anchor ?? ""] else {
      throw failure("there is no anchor of this name before it", at: event.place)
    }
    try count(nodes, event)
    return value
  }

  private mutating func count(_ added: Int, _ event: Event) throws(YAMLError) {
    nodes += added
    try require(nodes <= bytes.count + Self.repeatedNodes, "aliases repeat too many values", event)
  }

  private mutating func list(_ start: Event, depth: Int) throws(YAMLError) -> YAMLValue {
    try require(start.tag == nil, Self.unknownTag, start)
    var items: [YAMLValue] = []
    while true {
      let event = try next()
      guard event.kind != YAML_SEQUENCE_END_EVENT else { return .list(items) }
      items.append(try node(event, depth: depth + 1))
    }
  }

  private mutating func map(_ start: Event, depth: Int) throws(YAMLError) -> YAMLValue {
    try require(start.tag == nil, Self.unknownTag, start)
    var members: [YAMLMember] = []
    var names: Set<[UInt8]> = []
    while true {
      let key = try next()
      guard key.kind != YAML_MAPPING_END_EVENT else { return .map(members) }
      try require(key.kind == YAML_SCALAR_EVENT, "complex keys are not read", key)
      let isMerge = key.isPlain && key.text.elementsEqual("<<".utf8)
      try require(!isMerge, "merged keys are not read", key)
      try require(names.insert(key.text).inserted, "this member stands here twice", key)
      members.append(YAMLMember(name: key.text, value: try node(try next(), depth: depth + 1)))
    }
  }

  // MARK: Scalars

  /// `!` and `!!python/unicode` are how older versions of the tools mark text.
  private static let textTags: Set<String> = [
    "!", "!str", "tag:yaml.org,2002:str", "tag:yaml.org,2002:python/unicode",
  ]
  private static let binaryTags: Set<String> = ["!binary", "tag:yaml.org,2002:binary"]
  private static let unknownTag = "this tag is not known; known are !!binary and !!str"
  private static let nulls: Set<[UInt8]> = Set(["", "~", "null", "Null", "NULL"].map { Array($0.utf8) })

  private func scalar(_ event: Event) throws(YAMLError) -> YAMLValue {
    guard let tag = event.tag else {
      return event.isPlain ? Self.nulls.contains(event.text) ? .null : .plain(event.text) : .text(event.text)
    }
    if Self.textTags.contains(tag) { return .text(event.text) }
    try require(Self.binaryTags.contains(tag), Self.unknownTag, event)
    guard let decoded = Base64.decodeTolerant(event.text) else {
      throw failure("this text is not base64", at: event.place)
    }
    return .binary(decoded)
  }

  // MARK: Events

  /// An event of libyaml's, copied out of its memory.
  private struct Event {
    let kind: yaml_event_type_t
    /// How many characters stand before it.
    let place: Int
    var anchor: String?
    var tag: String?
    var text: [UInt8] = []
    var isPlain = false
    var hasDirectives = false

    init(_ event: yaml_event_t) {
      kind = event.type
      place = event.start_mark.index
      switch kind {
      case YAML_DOCUMENT_START_EVENT:
        let start = event.data.document_start
        hasDirectives = start.tag_directives.start != start.tag_directives.end
      case YAML_ALIAS_EVENT: name(event.data.alias.anchor, nil)
      case YAML_SEQUENCE_START_EVENT:
        name(event.data.sequence_start.anchor, event.data.sequence_start.tag)
      case YAML_MAPPING_START_EVENT: name(event.data.mapping_start.anchor, event.data.mapping_start.tag)
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        name(scalar.anchor, scalar.tag)
        text = Array(UnsafeBufferPointer(start: scalar.value, count: scalar.length))
        isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      default: break
      }
    }

    private mutating func name(
      _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?
    ) {
      self.anchor = anchor.map { String(cString: $0) }
      self.tag = tag.map { String(cString: $0) }
    }
  }

  private func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw parserFailure() }
    defer { yaml_event_delete(&event) }
    return Event(event)
  }

  // MARK: Failures

  private func parserFailure() -> YAMLError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "out of memory"
    if state.error == YAML_READER_ERROR {
      let before = String(decoding: bytes.prefix(state.problem_offset), as: UTF8.self)
      return failure(problem, at: before.unicodeScalars.count)
    }
    let context = state.context.map { " \(String(cString: $0))" } ?? ""
    // An unclosed collection or text is reported where it opens.
    let isOpen = problem.hasSuffix("end of stream")
    return failure(
      problem + context,
      at: isOpen && state.context != nil ? state.context_mark.index : state.problem_mark.index)
  }

  private func require(
    _ holds: Bool, _ problem: @autoclosure () -> String, _ event: Event
  ) throws(YAMLError) {
    if !holds { throw failure(problem(), at: event.place) }
  }

  /// - Parameter place: how many characters stand before it.
  private func failure(_ problem: String, at place: Int) -> YAMLError {
    let before = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(place)
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
    return YAMLError(problem: problem, line: lines.count, column: (lines.last?.count ?? 0) + 1)
  }
}
