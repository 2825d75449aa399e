package import TapedeckHTTP

/// An interaction as JSON, for its own file and for the journal.
///
/// Defines the format: the members of each object in the order written, which are required, and which are new
/// in version 2. Writer, reader and `QuickInteractionReader` follow it. The output depends only on the
/// interaction; everything that may differ between recordings of a session is in the last member.
package enum InteractionFormat {
  enum Member: String, FormatMember {
    /// Present in every interaction of a cassette of several origins, and in no other.
    case origin
    case request, response
    /// Present in an interaction with status 101, and in no other.
    case webSocket
    case volatile

    static let all = allCases
    static let required: Set<Member> = [.request, .response]
    static let version2: Set<Member> = [.origin, .webSocket]
  }

  enum RequestMember: String, FormatMember {
    case method, target, headers
    /// The host the client requested, if the `Host` field differs and there is no `origin`.
    case host
    case body, trailers

    static let all = allCases
    static let required: Set<RequestMember> = [.method, .target]
  }

  enum ResponseMember: String, FormatMember {
    case interim, version, status, reason, headers, body, chunks, trailers, closeDelimited
    /// Present with the value `client` when the client left before the end.
    case cut

    static let all = allCases
    static let required: Set<ResponseMember> = [.status]
    static let version2: Set<ResponseMember> = [.interim, .cut]
  }

  static let interimMembers: [ResponseMember] = [.status, .reason, .headers]

  enum VolatileMember: String, FormatMember {
    case recordedAt
    case date
    case durationMilliseconds, remoteAddress, chunkOffsetsMilliseconds
    /// The fields whose values differ between recordings (`VolatileFields`).
    case requestHeaders, responseHeaders

    static let all = allCases
    static let version2: Set<VolatileMember> = [.requestHeaders, .responseHeaders]
  }

  /// Members that hold a list with a line for each element, so that two recordings merge.
  static let fieldLists = [
    CassetteManifest.originsMember, RequestMember.headers.rawValue, RequestMember.trailers.rawValue,
    VolatileMember.requestHeaders.rawValue, VolatileMember.responseHeaders.rawValue,
    WebSocketMember.messages.rawValue,
  ]

  package static let cutByClient = "client"

  /// The lowest format version that has every member of an interaction, so that older programs refuse a
  /// cassette by the number in its manifest instead of misreading it.
  package static func version(of tree: JSONValue) -> Int {
    let isNewer =
      Member.version2.contains { tree[$0.rawValue] != nil }
      || ResponseMember.version2.contains { tree["response"]?[$0.rawValue] != nil }
      || VolatileMember.version2.contains { tree["volatile"]?[$0.rawValue] != nil }
    return isNewer || !isPlain(tree["request"]?["target"]) ? 2 : 1
  }

  /// Whether version 1 supports a target: visible ASCII only.
  private static func isPlain(_ target: JSONValue?) -> Bool {
    guard case .string(let string)? = target else { return false }
    return string.decodedBytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// A member of an object in the format, by name; the cases are in the order written.
protocol FormatMember: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  static var all: [Self] { get }
  static var required: Set<Self> { get }
  static var version2: Set<Self> { get }
}

extension FormatMember {
  static var required: Set<Self> { [] }
  static var version2: Set<Self> { [] }
}

extension JSONOutput {
  mutating func member(_ member: some FormatMember) { self.member(member.rawValue) }

  mutating func member(_ member: some FormatMember, text: String) {
    self.member(member.rawValue)
    string(text)
  }

  mutating func member(_ member: some FormatMember, number: Int) {
    self.member(member.rawValue)
    self.number(number)
  }

  mutating func member(_ member: some FormatMember, bytes: ArraySlice<UInt8>) {
    self.member(member.rawValue)
    ByteString.write(bytes, to: &self)
  }
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
