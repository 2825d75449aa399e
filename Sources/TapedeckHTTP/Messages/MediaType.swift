/// What a `Content-Type` says, as far as comparing and storing bodies needs it.
package struct MediaType {
  package enum Kind { case json, form, multipart(boundary: [UInt8]), other }

  package let kind: Kind
  /// Whether it is said to be text: `text/…`, JSON, XML, forms, scripts.
  package let isText: Bool

  package init(_ fields: HTTPFields) {
    guard let value = fields.first("content-type") else {
      kind = .other
      isText = false
      return
    }
    let essence = value.prefix { $0 != UInt8(ascii: ";") }
      .drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) }
    isText = Self.isText(essence)
    if Self.isJSON(essence) {
      kind = .json
    } else if ASCII.equal(essence, lowercase: "application/x-www-form-urlencoded") {
      kind = .form
    } else if ASCII.equal(essence.prefix(10), lowercase: "multipart/"), let boundary = Self.boundary(value) {
      kind = .multipart(boundary: boundary)
    } else {
      kind = .other
    }
  }

  /// `application/json`, `text/json`, everything with the suffix of RFC 6839 §3.1, and what AWS calls its own.
  private static func isJSON(_ essence: ArraySlice<UInt8>) -> Bool {
    ASCII.equal(essence, lowercase: "application/json") || ASCII.equal(essence, lowercase: "text/json")
      || ASCII.equal(essence.suffix(5), lowercase: "+json")
      || ASCII.equal(essence.prefix(23), lowercase: "application/x-amz-json-")
  }

  private static let textSuffixes: [StaticString] = [
    "json", "xml", "javascript", "yaml", "x-www-form-urlencoded", "graphql",
  ]

  private static func isText(_ essence: ArraySlice<UInt8>) -> Bool {
    ASCII.equal(essence.prefix(5), lowercase: "text/")
      || textSuffixes.contains { ASCII.equal(essence.suffix($0.utf8CodeUnitCount), lowercase: $0) }
  }

  package var isMultipart: Bool {
    if case .multipart = kind { true } else { false }
  }

  /// The `boundary` parameter (RFC 2046 §5.1.1), without quotes.
  private static func boundary(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    for parameter in value.split(separator: UInt8(ascii: ";")).dropFirst() {
      let text = parameter.drop(while: ASCII.isBlank)
      guard text.prefix(9).map(ASCII.lowercased).elementsEqual("boundary=".utf8) else { continue }
      var boundary = text.dropFirst(9)
      if boundary.first == UInt8(ascii: "\"") {
        boundary = boundary.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
      } else {
        boundary = boundary.prefix { !ASCII.isBlank($0) }
      }
      return boundary.isEmpty ? nil : Array(boundary)
    }
    return nil
  }
}
