package import TapedeckHTTP

/// Bytes that are nearly always text: a string where they are UTF-8, else `{"base64": "…"}`.
package enum ByteString {
  package static func encode(_ bytes: ArraySlice<UInt8>) -> JSONValue {
    guard let string = JSONString(utf8: bytes) else { return base64(bytes) }
    return .string(string)
  }

  /// The same, written at once.
  static func write(_ bytes: ArraySlice<UInt8>, to out: inout JSONOutput) {
    bytes.withUnsafeBufferPointer { write($0, to: &out) }
  }

  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout JSONOutput) {
    if !out.string(utf8: bytes) { out.value(base64(bytes)) }
  }

  package static func base64(_ bytes: some Collection<UInt8>) -> JSONValue {
    .object([JSONMember("base64", JSONValue(Base64.encode(bytes)))])
  }

  static func decode(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> [UInt8] {
    Array(try decodeSlice(value, at: place()))
  }

  static func decodeSlice(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> ArraySlice<UInt8> {
    if case .string(let string) = value {
      guard let bytes = string.utf8Slice else { throw place().problem("a lone surrogate is no text") }
      return bytes
    }
    guard case .object = value else {
      throw place().problem("a string or {\"base64\": …} is expected here")
    }
    let object = try StrictObject(value, at: place(), known: ["base64"], allowsOwn: true)
    return try decodeBase64(try object.required("base64"), at: object.place.member("base64"))[...]
  }

  static func decodeBase64(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> [UInt8] {
    guard case .string(let string) = value, let bytes = Base64.decode(string.decodedBytes) else {
      throw place().problem("this is not base64 with padding")
    }
    return bytes
  }
}
