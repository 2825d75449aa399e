/// A whole request, as the client sent it. Responders see it only when it is complete and well formed.
public struct HTTPRequest: Sendable, Equatable {
  /// What the head says. Shared by copies of the request, and by the requests that repeat the head (`HeadCache`), so it
  /// never changes: an assignment puts another one in its place.
  @usableFromInline private(set) package var shared: SharedHead
  /// The body, without transfer coding.
  public var body: [UInt8]
  /// What few requests have; `nil` for all others, so that these are passed around in three words.
  private var extras: Extras?

  /// Creates a request.
  public init(
    method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HTTPFields = HTTPFields(),
    body: [UInt8] = [], trailers: HTTPFields = HTTPFields(), authority: [UInt8] = [], keepsAlive: Bool = true
  ) {
    self.init(
      HTTPRequestHead(
        method: method, target: target, version: version, fields: fields, authority: authority,
        keepsAlive: keepsAlive),
      body: body)
    self.trailers = trailers
  }

  /// Creates a request from text, for tests and in-process callers.
  public init(_ method: HTTPMethod, _ target: String, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.init(method: method, target: Array(target.utf8), fields: fields, body: body)
  }

  package init(_ head: HTTPRequestHead, body: [UInt8] = []) { self.init(SharedHead(head), body: body) }

  init(_ head: SharedHead, body: [UInt8] = []) {
    shared = head
    self.body = body
  }

  public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
    (left.sharesHead(with: right) || left.shared.head == right.shared.head) && left.body == right.body
      && left.extras == right.extras
  }

  /// The target up to the first `?`.
  public var path: ArraySlice<UInt8> {
    target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
  }

  /// The target after the first `?`, if any.
  public var query: ArraySlice<UInt8>? {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return target[(mark + 1)...]
  }

  /// The target as text, with percent-encoded bytes where it is not UTF-8.
  public var targetText: String { RequestTarget.text(target) }
}

// MARK: - The parts of the head

extension HTTPRequest {
  @inlinable package var head: HTTPRequestHead {
    get { shared.head }
    set { shared = SharedHead(newValue) }
  }

  /// Whether the heads are one in memory, and so equal.
  @inlinable package func sharesHead(with other: HTTPRequest) -> Bool { shared === other.shared }

  /// The method.
  @inlinable public var method: HTTPMethod {
    get { shared.head.method }
    set { head.method = newValue }
  }

  /// The target in origin form (`/path?query`) or `*`, as received (RFC 9112 §3.2).
  @inlinable public var target: [UInt8] {
    get { shared.head.target }
    set { head.target = newValue }
  }

  /// The protocol version.
  @inlinable public var version: HTTPVersion {
    get { shared.head.version }
    set { head.version = newValue }
  }

  /// The header section.
  @inlinable public var fields: HTTPFields {
    get { shared.head.fields }
    set { head.fields = newValue }
  }

  /// The authority of an absolute-form target, else `Host` (RFC 9112 §3.2.2).
  @inlinable public var authority: [UInt8] {
    get { shared.head.authority }
    set { head.authority = newValue }
  }

  /// Whether the connection may carry another request after this one (RFC 9112 §9.3).
  @inlinable public var keepsAlive: Bool {
    get { shared.head.keepsAlive }
    set { head.keepsAlive = newValue }
  }

  /// The scheme of the origin: of an absolute-form target, or `https` inside an intercepted TLS tunnel.
  @inlinable public var scheme: HTTPScheme {
    get { shared.head.scheme }
    set { head.scheme = newValue }
  }

  /// Whether the client named the origin, which is `scheme` and `authority`, as clients of a forward proxy do: by an
  /// absolute-form target (RFC 9112 §3.2.2) or by CONNECT (§3.2.3).
  @inlinable public var namesOrigin: Bool {
    get { shared.head.namesOrigin }
    set { head.namesOrigin = newValue }
  }

  /// Whether `Connection` lists `Upgrade` (RFC 9110 §7.8).
  @inlinable public var asksForUpgrade: Bool {
    get { shared.head.asksForUpgrade }
    set { head.asksForUpgrade = newValue }
  }
}

// MARK: - What few requests have

extension HTTPRequest {
  private final class Extras: Sendable, Equatable {
    let trailers: HTTPFields
    let uploadBytes: Int?

    init?(trailers: HTTPFields, uploadBytes: Int?) {
      guard !trailers.isEmpty || uploadBytes != nil else { return nil }
      (self.trailers, self.uploadBytes) = (trailers, uploadBytes)
    }

    static func == (left: Extras, right: Extras) -> Bool {
      left.trailers == right.trailers && left.uploadBytes == right.uploadBytes
    }
  }

  /// The trailer section.
  public var trailers: HTTPFields {
    get { extras?.trailers ?? HTTPFields() }
    set { extras = Extras(trailers: newValue, uploadBytes: uploadBytes) }
  }

  package var hasTrailers: Bool { extras?.trailers.isEmpty == false }

  /// The size of a body that is passed on while it comes, and is not in `body`; `nil` for every other request.
  package var uploadBytes: Int? {
    get { extras?.uploadBytes }
    set { extras = Extras(trailers: trailers, uploadBytes: newValue) }
  }

  /// Whether its client waits for the 100 of whoever takes the upload. That of HTTP/1.0 does not (RFC 9110 §10.1.1).
  package var awaitsContinue: Bool { uploadBytes != nil && version == .http11 && fields.contains("expect") }
}

/// The head of a request: the members that `HTTPRequest` has of the same names.
@usableFromInline package struct HTTPRequestHead: Sendable, Equatable {
  @usableFromInline package var method: HTTPMethod
  @usableFromInline package var target: [UInt8]
  @usableFromInline package var version = HTTPVersion.http11
  @usableFromInline package var fields = HTTPFields()
  @usableFromInline package var authority: [UInt8] = []
  @usableFromInline package var keepsAlive = true
  @usableFromInline package var scheme = HTTPScheme.http
  @usableFromInline package var namesOrigin = false
  @usableFromInline package var asksForUpgrade = false

  package init(
    method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HTTPFields = HTTPFields(),
    authority: [UInt8] = [], keepsAlive: Bool = true
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.authority = authority
    self.keepsAlive = keepsAlive
  }
}

extension HTTPRequestHead {
  /// Whether another differs in the target at most, and has its fields in the same places of the buffer.
  package func isLike(_ other: HTTPRequestHead) -> Bool {
    method == other.method && version == other.version && scheme == other.scheme
      && keepsAlive == other.keepsAlive && namesOrigin == other.namesOrigin
      && asksForUpgrade == other.asksForUpgrade && authority.hasSameBytes(as: other.authority)
      && fields.hasSameBytes(as: other.fields)
  }
}

extension HTTPRequest {
  /// A head that never changes.
  @usableFromInline package final class SharedHead: Sendable {
    /// What a parser made it from.
    let received: ReceivedHead
    /// Of the target, for tables in this process.
    package let targetHash: UInt64
    @usableFromInline package let head: HTTPRequestHead
    private static let seed = UInt64.random(in: .min ... .max)

    @usableFromInline package convenience init(_ head: HTTPRequestHead) { self.init(head, ReceivedHead()) }

    init(_ head: HTTPRequestHead, _ received: ReceivedHead) {
      self.received = received
      self.head = head
      targetHash = head.target.withUnsafeBytes { $0.hash(seed: Self.seed) }
    }
  }
}

/// The supported versions.
public enum HTTPVersion: String, Sendable {
  /// HTTP/1.0.
  case http10 = "HTTP/1.0"
  /// HTTP/1.1.
  case http11 = "HTTP/1.1"
}
