/// A part of a multipart body (RFC 2046 §5.1, RFC 7578).
public struct MultipartPart: Sendable, Equatable {
  public var headers: HeaderFields
  public var body: [UInt8]

  public init(headers: HeaderFields, body: [UInt8]) {
    self.headers = headers
    self.body = body
  }

  /// The form field it is the value of.
  public var name: String? { parameter("name") }

  /// The name of the uploaded file.
  public var filename: String? { parameter("filename") }

  public var contentType: String? { headers["Content-Type"] }

  public var text: String { String(decoding: body, as: UTF8.self) }

  private func parameter(_ name: String) -> String? {
    headers["Content-Disposition"].flatMap { HeaderParameters.value(of: name, in: $0) }
  }
}

extension MultipartPart {
  static func boundary(of contentType: String) -> String? {
    guard contentType.lowercased().hasPrefix("multipart/") else { return nil }
    return HeaderParameters.value(of: "boundary", in: contentType)
  }

  /// The parts between the delimiters; nil without a closing one.
  static func parse(_ body: [UInt8], boundary: String) -> [MultipartPart]? {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    // The first delimiter may begin the body.
    let bytes = Array("\r\n".utf8) + body
    var places = positions(of: delimiter, in: bytes)[...]
    var parts: [MultipartPart] = []
    while let start = places.popFirst() {
      let content = start + delimiter.count
      if bytes[content...].starts(with: "--".utf8) { return parts }
      guard let end = places.first, let lineEnd = firstLineEnd(bytes[content..<end]),
        let part = part(bytes[lineEnd..<end])
      else { return nil }
      parts.append(part)
    }
    return nil
  }

  /// Behind the CRLF that ends the delimiter's line.
  private static func firstLineEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.firstIndex(of: 0x0A).map { $0 + 1 }
  }

  private static func part(_ bytes: ArraySlice<UInt8>) -> MultipartPart? {
    if bytes.starts(with: "\r\n".utf8) { return MultipartPart(headers: [:], body: Array(bytes.dropFirst(2))) }
    guard let blank = positions(of: Array("\r\n\r\n".utf8), in: Array(bytes)).first else { return nil }
    let head = String(decoding: bytes.prefix(blank), as: UTF8.self)
    let fields = head.split(separator: "\r\n").compactMap { line -> HeaderFields.Field? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return HeaderFields.Field(String(line[..<colon]), String(value))
    }
    return MultipartPart(headers: HeaderFields(fields), body: Array(bytes.dropFirst(blank + 4)))
  }

  private static func positions(of part: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard let first = part.first, bytes.count >= part.count else { return [] }
    var found: [Int] = []
    var index = 0
    while index <= bytes.count - part.count {
      if bytes[index] == first, bytes[index...].starts(with: part) {
        found.append(index)
        index += part.count
      } else {
        index += 1
      }
    }
    return found
  }
}

/// `name=value` behind the semicolons of a header field (RFC 9110 §5.6.6).
enum HeaderParameters {
  static func value(of name: String, in field: String) -> String? {
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

  /// Behind the `=`: a quoted text or all up to the next semicolon.
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
