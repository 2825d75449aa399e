/// A body that is no JSON: its bytes and their media type.
public struct RawBody: MediaTyped, CustomSerializable, Sendable, Equatable {
  public var bytes: [UInt8]
  public var contentType: String

  public init(_ bytes: [UInt8], contentType: String = "application/octet-stream") {
    self.bytes = bytes
    self.contentType = contentType
  }

  public static func text(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }

  public static func html(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/html; charset=utf-8")
  }

  public static func xml(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "application/xml")
  }

  /// As part of some JSON it is its text.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    String(decoding: bytes, as: UTF8.self)
  }
}
