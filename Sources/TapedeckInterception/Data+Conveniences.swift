public import Foundation
public import TapedeckHTTP
public import TapedeckMocking

// Bytes are `[UInt8]` in the rooms that do without Foundation; here they are `Data` too.

extension Request {
  /// The body as `Data`.
  public var data: Data { Data(http.body) }
}

extension Response {
  /// Creates a response with `Data` as its body.
  @_disfavoredOverload
  public init(
    statusCode: Int = 200, data: Data, contentType: String = "application/octet-stream",
    headers: HeaderFields = [:]
  ) {
    self.init(statusCode: statusCode, data: [UInt8](data), contentType: contentType, headers: headers)
  }
}

extension JSONValue {
  /// Reads exactly one RFC 8259 document.
  @_disfavoredOverload
  public init(parsing data: Data) throws(JSONError) { try self.init(parsing: [UInt8](data)) }

  /// The value as compact JSON.
  public var data: Data { Data(bytes()) }
}
