import TapedeckHTTP

/// How clients reach the origins of a cassette that has several: its members `upstreams` and `forward`.
public struct RecordedUpstreams: Sendable, Equatable {
  /// The values of `--upstream`, such as `/auth=https://auth.example.com`; empty for a forward proxy only.
  public var patterns: [String]
  /// Whether clients may name any origin, as with `--forward`.
  public var isForward: Bool

  public init(patterns: [String], isForward: Bool) {
    self.patterns = patterns
    self.isForward = isForward
  }

  /// The part of `/PREFIX=URL` or `HOST=URL` before the URL; `nil` if it is a URL alone.
  package static func condition(of pattern: String) -> Substring? {
    guard let equals = pattern.firstIndex(of: "="), !pattern[..<equals].contains("://") else { return nil }
    return pattern[..<equals]
  }

  public var text: String {
    (patterns.map { "--upstream \($0)" } + (isForward ? ["--forward"] : [])).joined(separator: " ")
  }

  /// The upstreams of a recording that adds to this one: its patterns hold, and what only a forward proxy
  /// reaches stays within reach.
  func joined(_ later: RecordedUpstreams) -> RecordedUpstreams {
    RecordedUpstreams(
      patterns: later.patterns.isEmpty ? patterns : later.patterns,
      isForward: isForward || later.isForward)
  }

  static let member = "upstreams"
  static let forwardMember = "forward"

  /// In a cassette, a forward proxy without patterns needs none.
  var members: [JSONMember] { patterns.isEmpty ? [] : journalMembers }

  var journalMembers: [JSONMember] {
    var members: [JSONMember] = []
    if !patterns.isEmpty {
      members.append(JSONMember(JSONString(Self.member), .array(patterns.map { JSONValue($0) })))
    }
    if isForward { members.append(JSONMember(JSONString(Self.forwardMember), true)) }
    return members
  }

  static func isIn(_ object: StrictObject) -> Bool {
    object[member] != nil || object[forwardMember] != nil
  }

  /// - Parameter object: a manifest of several origins, or the header of a journal with either member.
  init(_ object: StrictObject) throws(JSONProblem) {
    patterns = try object.texts(Self.member) ?? []
    isForward = try object.bool(Self.forwardMember) ?? patterns.isEmpty
    guard isForward || !patterns.isEmpty else {
      throw object.place.member(Self.forwardMember).problem(
        "false makes no sense without `\(Self.member)`, as no origin could be reached")
    }
  }
}
