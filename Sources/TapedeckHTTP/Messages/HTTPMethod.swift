/// A request method: a case-sensitive token (RFC 9110 §9.1), known or unknown.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  private static let names = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
  ]

  /// An object, because copying none costs less than copying no text.
  @usableFromInline final class Name: Sendable {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// The name of an unknown method.
  @usableFromInline let other: Name?
  /// The index in `names`, so that known methods are copied and compared without text.
  @usableFromInline let index: UInt8

  @inlinable init(known index: UInt8) { (other, self.index) = (nil, index) }

  public init(rawValue: String) {
    let known = Self.names.firstIndex(of: rawValue)
    index = UInt8(known ?? Self.names.count)
    other = known == nil ? Name(rawValue) : nil
  }

  /// The method with this name, a token. The most frequent ones are recognised without reading text.
  init(token: UnsafeRawBufferPointer) {
    switch token.count {
    case 3
    where token[0] == UInt8(ascii: "G") && token[1] == UInt8(ascii: "E") && token[2] == UInt8(ascii: "T"):
      self = .get
    case 4 where token.loadUnaligned(as: UInt32.self) == UInt32(littleEndian: 0x5453_4F50): self = .post
    default: self = HTTPMethod(rawValue: String(decoding: token, as: UTF8.self))
    }
  }

  public var rawValue: String { other?.text ?? Self.names[Int(index)] }

  public var description: String { rawValue }

  // Explicit, because `RawRepresentable` would compare the raw values.
  @inlinable public static func == (left: HTTPMethod, right: HTTPMethod) -> Bool {
    left.index == right.index && (left.other == nil || left.hasSameName(as: right))
  }

  /// - Parameter other: an unknown method, as this is.
  @usableFromInline func hasSameName(as other: HTTPMethod) -> Bool { self.other?.text == other.other?.text }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(other?.text)
  }

  /// The method GET.
  @inlinable public static var get: HTTPMethod { HTTPMethod(known: 0) }
  /// The method HEAD.
  @inlinable public static var head: HTTPMethod { HTTPMethod(known: 1) }
  /// The method POST.
  @inlinable public static var post: HTTPMethod { HTTPMethod(known: 2) }
  /// The method PUT.
  @inlinable public static var put: HTTPMethod { HTTPMethod(known: 3) }
  /// The method PATCH.
  @inlinable public static var patch: HTTPMethod { HTTPMethod(known: 4) }
  /// The method DELETE.
  @inlinable public static var delete: HTTPMethod { HTTPMethod(known: 5) }
  /// The method OPTIONS.
  @inlinable public static var options: HTTPMethod { HTTPMethod(known: 6) }
  /// The method TRACE.
  @inlinable public static var trace: HTTPMethod { HTTPMethod(known: 7) }
  /// The method CONNECT.
  @inlinable public static var connect: HTTPMethod { HTTPMethod(known: 8) }

  /// Whether `name` is a token, as a method must be.
  public static func isValid(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) }

  /// Whether it is safe (RFC 9110 §9.2.1). Unknown methods are not.
  public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }

  /// Whether it is idempotent (RFC 9110 §9.2.2). Unknown methods are not.
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
