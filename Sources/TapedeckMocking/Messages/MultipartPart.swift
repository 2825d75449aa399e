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

  /// The content as text; undecodable bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  private func parameter(_ name: String) -> String? {
    headers["Content-Disposition"].flatMap { Self.parameter(name, in: $0) }
  }
}

extension MultipartPart {
  static func boundary(of contentType: String) -> String? {
    guard contentType.lowercased().hasPrefix("multipart/") else { return nil }
    return parameter("boundary", in: contentType)
  }

  /// The parts between the delimiters; `nil` without a closing delimiter.
  static func parse(_ body: [UInt8], boundary: String) -> [MultipartPart]? {
    // The first delimiter may begin the body.
    let bytes = Array("\r\n".utf8) + body
    let delimiters = bytes.ranges(of: Array("\r\n--\(boundary)".utf8))
    var parts: [MultipartPart] = []
    for (index, delimiter) in delimiters.enumerated() {
      let content = bytes[delimiter.upperBound...]
      if content.starts(with: "--".utf8) { return parts }
      guard index + 1 < delimiters.count,
        let lineEnd = content[..<delimiters[index + 1].lowerBound].firstIndex(of: 0x0A)
      else { return nil }
      guard let part = part(bytes[(lineEnd + 1)..<delimiters[index + 1].lowerBound]) else { return nil }
      parts.append(part)
    }
    return nil
  }

  private static func part(_ bytes: ArraySlice<UInt8>) -> MultipartPart? {
    if bytes.starts(with: "\r\n".utf8) { return MultipartPart(headers: [:], body: Array(bytes.dropFirst(2))) }
    guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
    let fields = head.split(separator: "\r\n").compactMap { line -> HeaderFields.Field? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return HeaderFields.Field(String(line[..<colon]), String(value))
    }
    return MultipartPart(headers: HeaderFields(fields), body: Array(bytes[blank.upperBound...]))
  }
}

extension MultipartPart {
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
