import TapedeckHTTP

/// A condition of Hoverfly's, where it is an equality.
enum HoverflyMatcher {
  /// The one value that meets it; nil when several do.
  static func exact(_ matcher: JSONValue) -> String? {
    guard isPlain(matcher), matcher["matcher"]?.text == "exact" else { return nil }
    return matcher["value"]?.text
  }

  /// The values that must all be there, in this order.
  static func values(_ matcher: JSONValue) -> [String]? {
    if let value = exact(matcher) { return [value] }
    guard isPlain(matcher), matcher["matcher"]?.text == "array", let items = matcher["value"]?.array else {
      return nil
    }
    let values = items.compactMap(\.text)
    return values.count == items.count ? values : nil
  }

  /// Whether nothing loosens it or goes on with another.
  static func isPlain(_ matcher: JSONValue) -> Bool {
    let doMatch = matcher["doMatch"]
    let config = matcher["config"]?.members ?? []
    return (doMatch == nil || doMatch?.isNull == true) && config.isEmpty
  }
}

/// The body of a request as a simulation tells it.
enum HoverflyBody {
  static func bytes(_ matchers: JSONValue?, _ draft: inout ExchangeDraft) throws(EntryRefusal) -> [UInt8] {
    guard let matchers = matchers?.array, let matcher = matchers.first else {
      draft.remark(.lost, "it matches any body there, and an empty one here")
      return []
    }
    guard matchers.count == 1, HoverflyMatcher.isPlain(matcher) else {
      throw EntryRefusal("`body` has several conditions; left out")
    }
    switch matcher["matcher"]?.text {
    case "exact", "json": return matcher["value"].flatMap(HARText.utf8) ?? []
    case "xml":
      draft.remark(.lost, "its XML body is compared byte by byte here")
      return matcher["value"].flatMap(HARText.utf8) ?? []
    case "form": return try form(matcher["value"])
    case let name:
      throw EntryRefusal("the \(name ?? "nameless") matcher of its body meets more than one; left out")
    }
  }

  private static func form(_ fields: JSONValue?) throws(EntryRefusal) -> [UInt8] {
    var pieces: [[UInt8]] = []
    for member in fields?.members ?? [] {
      for matcher in member.value.array ?? [] {
        guard let values = HoverflyMatcher.values(matcher) else {
          throw EntryRefusal("the form matcher of its body meets more than one; left out")
        }
        let name = HARParams.encoded(member.name.decodedBytes)
        pieces += values.map { name + [UInt8(ascii: "=")] + HARParams.encoded(Array($0.utf8)) }
      }
    }
    return Array(pieces.joined(separator: [UInt8(ascii: "&")]))
  }
}
