public import TapedeckHTTP

extension Request {
  /// The body as text; undecodable bytes are replaced.
  public var text: String { String(decoding: http.body, as: UTF8.self) }

  /// The body as JSON. Throws `JSONError` where it is none.
  public func json() throws(JSONError) -> JSONValue { try JSONValue(parsing: http.body) }

  /// The body's JSON as a value: `let post = try request.decode(NewPost.self)`. Throws `JSONError` or
  /// `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try json().decode(type) }

  /// The items of a body of type `application/x-www-form-urlencoded`, in order.
  public var form: [QueryItem] { QueryItems.parse(http.body, plusIsSpace: true) }

  /// The parts of a `multipart/*` body; nil when it is none, or none that is well formed.
  public var multipart: [MultipartPart]? {
    guard let boundary = header("content-type").flatMap({ MultipartPart.boundary(of: $0) }) else {
      return nil
    }
    return MultipartPart.parse(http.body, boundary: boundary)
  }

  /// A field of a form, whichever of the two ways it was sent.
  public func formValue(_ name: String) -> String? {
    if let part = multipart?.first(where: { $0.name == name }) { return part.text }
    return form.first { $0.name == name }?.value
  }
}
