package import TapedeckHTTP

/// An interaction as JSON, for the file of its own and for the journal.
///
/// Here the format is defined: the members of each object in the order they are written, which of them must be there,
/// and which are new in version 2. The writer, the reader and `QuickInteractionReader` go by these lists. What is
/// written depends only on the interaction; everything that may differ between two recordings of one session is in the
/// last member.
package enum InteractionFormat {
  enum Member: String, FormatMember {
    case request, response, volatile

    static let all = allCases
    static let required: Set<Member> = [.request, .response]
  }

  enum RequestMember: String, FormatMember {
    case method, target, headers
    /// The host the client asked for, where the `Host` field says another.
    case host
    case body, trailers

    static let all = allCases
    static let required: Set<RequestMember> = [.method, .target]
  }

  enum ResponseMember: String, FormatMember {
    case interim, version, status, reason, headers, body, chunks, trailers, closeDelimited
    /// Present with the value `client` where the client left before the end.
    case cut

    static let all = allCases
    static let required: Set<ResponseMember> = [.status]
    static let version2: Set<ResponseMember> = [.interim, .cut]
  }

  enum InterimMember: String, FormatMember {
    case status, reason, headers

    static let all = allCases
    static let required: Set<InterimMember> = [.status]
  }

  enum VolatileMember: String, FormatMember {
    case recordedAt
    /// The value of the response's only `Date`.
    case date
    case durationMilliseconds, remoteAddress, chunkOffsetsMilliseconds
    /// The fields whose values differ from one recording to the next (`VolatileFields`).
    case requestHeaders, responseHeaders

    static let all = allCases
    static let version2: Set<VolatileMember> = [.requestHeaders, .responseHeaders]
  }

  /// Members that hold a list of fields, one a line.
  static let fieldLists = [
    RequestMember.headers.rawValue, RequestMember.trailers.rawValue,
    VolatileMember.requestHeaders.rawValue, VolatileMember.responseHeaders.rawValue,
  ]

  /// The value of `cut` for a stream that the client left.
  package static let cutByClient = "client"

  /// The lowest format version that has every member of an interaction: older programs refuse a cassette by the
  /// number in its manifest instead of misreading it.
  package static func version(of tree: JSONValue) -> Int {
    let isNewer =
      ResponseMember.version2.contains { tree["response"]?[$0.rawValue] != nil }
      || VolatileMember.version2.contains { tree["volatile"]?[$0.rawValue] != nil }
    return isNewer || !isPlain(tree["request"]?["target"]) ? 2 : 1
  }

  /// Whether version 1 has such a target: visible ASCII, which all were until other bytes were passed on too.
  private static func isPlain(_ target: JSONValue?) -> Bool {
    guard case .string(let string)? = target else { return false }
    return string.decodedBytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// A member of an object in the format, by its name; the cases stand in the order they are written.
protocol FormatMember: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// The cases, made once.
  static var all: [Self] { get }
  static var required: Set<Self> { get }
  /// Those that version 1 did not have.
  static var version2: Set<Self> { get }
}

extension FormatMember {
  static var required: Set<Self> { [] }
  static var version2: Set<Self> { [] }
}

extension JSONOutput {
  mutating func member(_ member: some FormatMember) { self.member(member.rawValue) }
}

extension StrictObject {
  /// An object with the members of the format, and the user's own.
  init<Member: FormatMember>(
    _ value: JSONValue, at place: JSONPlace, of members: Member.Type
  ) throws(JSONProblem) {
    try self.init(value, at: place, known: members.all.map(\.rawValue), allowsOwn: true)
    for member in members.all where members.required.contains(member) { _ = try required(member.rawValue) }
  }

  subscript(member: some FormatMember) -> JSONValue? { self[member.rawValue] }
}

extension JSONPlace {
  func member(_ member: some FormatMember) -> JSONPlace { self.member(member.rawValue) }
}
