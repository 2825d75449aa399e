public import TapedeckHTTP

/// Bodies that stand in files.
extension Response {
  /// A file as it is. It is read now, so that what is wrong with it shows where the answer is made.
  /// - Parameter contentType: that of the file's name where none is given.
  /// - Throws: `FileError`.
  public init(
    statusCode: Int = 200, file path: String, contentType: String? = nil, headers: HeaderFields = [:]
  ) throws(FileError) {
    self.init(
      statusCode: statusCode, data: try WholeFile.bytes(path),
      contentType: contentType ?? MediaTypeOfFile.guess(path), headers: headers)
  }

  /// A template with values in its places.
  /// - Parameter contentType: by default what the template escapes for.
  public init(
    statusCode: Int = 200, template: Template, values: JSONValue = [:], contentType: String? = nil,
    headers: HeaderFields = [:]
  ) {
    self.init(
      statusCode: statusCode, data: Array(template.rendered(values).utf8),
      contentType: contentType ?? template.contentType, headers: headers)
  }
}

extension Template {
  fileprivate var contentType: String {
    switch escaping {
    case .html: "text/html; charset=utf-8"
    case .json: "application/json"
    case .none: "text/plain; charset=utf-8"
    }
  }
}
