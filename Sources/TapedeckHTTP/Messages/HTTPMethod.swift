/// A request method: a case-sensitive token (RFC 9110 §9.1). Unknown methods are carried like known ones.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// Known names are no text: to copy and to compare them is nothing.
  private enum Name: Hashable {
    case get, head, post, put, patch, delete, options, trace, connect
    case other(String)

    init(_ text: String) {
      switch text {
      case "GET": self = .get
      case "HEAD": self = .head
      case "POST": self = .post
      case "PUT": self = .put
      case "PATCH": self = .patch
      case "DELETE": self = .delete
      case "OPTIONS": self = .options
      case "TRACE": self = .trace
      case "CONNECT": self = .connect
      default: self = .other(text)
      }
    }

    var text: String {
      switch self {
      case .get: "GET"
      case .head: "HEAD"
      case .post: "POST"
      case .put: "PUT"
      case .patch: "PATCH"
      case .delete: "DELETE"
      case .options: "OPTIONS"
      case .trace: "TRACE"
      case .connect: "CONNECT"
      case .other(let text): text
      }
    }
  }

  private let name: Name

  public init(rawValue: String) { name = Name(rawValue) }

  private init(_ name: Name) { self.name = name }

  /// The method of that name, a token. The most frequent one is made without a look at text.
  init(token: UnsafeRawBufferPointer) {
    let isGet =
      token.count == 3 && token[0] == UInt8(ascii: "G") && token[1] == UInt8(ascii: "E")
      && token[2] == UInt8(ascii: "T")
    name = isGet ? .get : Name(String(decoding: token, as: UTF8.self))
  }

  public var rawValue: String { name.text }

  public var description: String { rawValue }

  // Written out, for what is raw would be compared else.
  public static func == (left: HTTPMethod, right: HTTPMethod) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// The method GET.
  public static let get = HTTPMethod(.get)
  /// The method HEAD.
  public static let head = HTTPMethod(.head)
  /// The method POST.
  public static let post = HTTPMethod(.post)
  /// The method PUT.
  public static let put = HTTPMethod(.put)
  /// The method PATCH.
  public static let patch = HTTPMethod(.patch)
  /// The method DELETE.
  public static let delete = HTTPMethod(.delete)
  /// The method OPTIONS.
  public static let options = HTTPMethod(.options)
  /// The method TRACE.
  public static let trace = HTTPMethod(.trace)
  /// The method CONNECT.
  public static let connect = HTTPMethod(.connect)

  /// Whether `name` is a token, as a method must be.
  public static func isValid(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) }

  /// Whether it asks for nothing but a response (RFC 9110 §9.2.1). An unknown method does not.
  public var isSafe: Bool {
    switch name {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// Whether sending it twice means the same as sending it once (RFC 9110 §9.2.2). An unknown method does not.
  public var isIdempotent: Bool {
    switch name {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }
}
