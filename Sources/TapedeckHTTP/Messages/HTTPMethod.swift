/// A request method: a case-sensitive token (RFC 9110 §9.1), known or unknown.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  private static let names = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
  ]

  private let other: String?
  /// The index in `names`, so that known methods are copied and compared without text.
  private let index: UInt8

  public init(rawValue: String) {
    let known = Self.names.firstIndex(of: rawValue)
    index = UInt8(known ?? Self.names.count)
    other = known == nil ? rawValue : nil
  }

  /// The method with this name, a token. GET, the most frequent one, is recognised without reading text.
  init(token: UnsafeRawBufferPointer) {
    let isGet =
      token.count == 3 && token[0] == UInt8(ascii: "G") && token[1] == UInt8(ascii: "E")
      && token[2] == UInt8(ascii: "T")
    self = isGet ? .get : HTTPMethod(rawValue: String(decoding: token, as: UTF8.self))
  }

  public var rawValue: String { other ?? Self.names[Int(index)] }

  public var description: String { rawValue }

  // Explicit, because `RawRepresentable` would compare the raw values.
  public static func == (left: HTTPMethod, right: HTTPMethod) -> Bool {
    left.index == right.index && left.other == right.other
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(other)
  }

  /// The method GET.
  public static let get = HTTPMethod(rawValue: "GET")
  /// The method HEAD.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// The method POST.
  public static let post = HTTPMethod(rawValue: "POST")
  /// The method PUT.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// The method PATCH.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// The method DELETE.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// The method OPTIONS.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// The method TRACE.
  public static let trace = HTTPMethod(rawValue: "TRACE")
  /// The method CONNECT.
  public static let connect = HTTPMethod(rawValue: "CONNECT")

  /// Whether `name` is a token, as a method must be.
  public static func isValid(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) }

  /// Whether it is safe (RFC 9110 §9.2.1). Unknown methods are not.
  public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }

  /// Whether it is idempotent (RFC 9110 §9.2.2). Unknown methods are not.
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
