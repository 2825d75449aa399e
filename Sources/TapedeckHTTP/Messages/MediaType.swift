package struct MediaType {
  package enum Kind { case json, form, multipart(boundary: [UInt8]), other }

  package let kind: Kind
  /// Whether it is a textual type: `text/…`, JSON, XML, forms, scripts.
  package let isText: Bool

  package init(_ fields: HTTPFields) {
    guard let value = fields.first("content-type") else {
      kind = .other
      isText = false
      return
    }
    if ASCII.equal(value, lowercase: "application/json") {
      (kind, isText) = (.json, true)
      return
    }
    let essence = value.prefix { $0 != UInt8(ascii: ";") }
      .drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) }
    if ASCII.equal(essence, lowercase: "application/json") {
      (kind, isText) = (.json, true)
      return
    }
    isText = Self.isText(essence)
    if Self.isJSON(essence) {
      kind = .json
    } else if ASCII.equal(essence, lowercase: "application/x-www-form-urlencoded") {
      kind = .form
    } else if ASCII.equal(essence.prefix(10), lowercase: "multipart/"),
      let boundary = value.parameter("boundary"), !boundary.isEmpty
    {
      kind = .multipart(boundary: Array(boundary))
    } else {
      kind = .other
    }
  }

  /// `text/json`, the suffix of RFC 6839 §3.1, and AWS's own types.
  private static func isJSON(_ essence: ArraySlice<UInt8>) -> Bool {
    ASCII.equal(essence, lowercase: "text/json")
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
}
