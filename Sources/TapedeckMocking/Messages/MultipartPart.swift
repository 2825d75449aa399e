internal import TapedeckHTTP

/// A part of a multipart body (RFC 2046 §5.1, RFC 7578).
public struct MultipartPart: Sendable, Equatable {
  /// The part's own header fields.
  public var headers: HeaderFields
  /// The content.
  public var body: [UInt8]

  /// Creates a part.
  public init(headers: HeaderFields, body: [UInt8]) {
    self.headers = headers
    self.body = body
  }

  /// The name of the form field.
  public var name: String? { parameter("name") }

  /// The name of the uploaded file.
  public var filename: String? { parameter("filename") }

  /// The value of the part's `Content-Type`.
  public var contentType: String? { headers["Content-Type"] }

  /// The content as text; bytes that are not UTF-8 are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  private func parameter(_ name: String) -> String? {
    headers["Content-Disposition"].flatMap { Self.parameter(name, in: $0) }
  }
}

extension MultipartPart {
  /// - Parameter part: header lines, blank line, content.
  init(_ part: ArraySlice<UInt8>) {
    let content = MultipartBody.content(of: part)
    let head = String(decoding: part.dropLast(content.count), as: UTF8.self)
    let fields = head.split(separator: "\r\n").compactMap { line -> HeaderFields.Field? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return HeaderFields.Field(String(line[..<colon]), String(value))
    }
    self.init(headers: HeaderFields(fields), body: Array(content))
  }

  /// The value of a parameter, `; name=value`, of a header field (RFC 9110 §5.6.6).
  private static func parameter(_ name: String, in field: String) -> String? {
    var rest = field.drop { $0 != ";" }.dropFirst()
    while !rest.isEmpty {
      let label = rest.prefix { $0 != "=" && $0 != ";" }
      rest = rest[label.endIndex...]
      guard rest.first == "=" else {
        rest = rest.dropFirst()
        continue
      }
      let value = takeValue(&rest)
      if String(label.trimmingSpaces()).isHeaderName(name) { return value }
      rest = rest.drop { $0 != ";" }.dropFirst()
    }
    return nil
  }

  /// The value after the `=`: a quoted string, or everything up to the next semicolon.
  private static func takeValue(_ rest: inout Substring) -> String {
    rest = rest.dropFirst()
    guard rest.first == "\"" else {
      let value = rest.prefix { $0 != ";" }
      rest = rest[value.endIndex...]
      return String(value.trimmingSpaces())
    }
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
    }
    return value
  }
}

extension Substring {
  fileprivate func trimmingSpaces() -> Substring {
    var result = drop { $0 == " " || $0 == "\t" }
    while let last = result.last, last == " " || last == "\t" { result = result.dropLast() }
    return result
  }
}
