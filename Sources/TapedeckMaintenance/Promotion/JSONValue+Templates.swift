import TapedeckFormats
import TapedeckHTTP

/// Templates for the envelopes around objects in responses.
extension JSONValue {
  /// A response with a placeholder instead of the value at the end of a path of members.
  func replacing(_ path: [String], with place: String) -> JSONValue {
    filled(path[...], with: JSONValue("{{\(place)}}")) { member, _ in member.value }
  }

  /// The response with `end` at the end of a path of members, and what `other` says for the members beside the path.
  private func filled(
    _ rest: ArraySlice<String>, _ path: [String] = [], with end: JSONValue,
    _ other: (JSONMember, [String]) -> JSONValue
  ) -> JSONValue {
    guard let name = rest.first, let members else { return end }
    return .object(
      members.map { member in
        let place = path + [member.name.text]
        let isOnPath = member.name.text == name
        return JSONMember(
          member.name,
          isOnPath ? member.value.filled(rest.dropFirst(), place, with: end, other) : other(member, place))
      })
  }

  /// A response with `{{id}}` in place of the id.
  func replacing(id: String) -> JSONValue {
    switch self {
    case .array(let items): return .array(items.map { $0.replacing(id: id) })
    case .object(let members):
      return .object(
        members.map { member in
          let isCount =
            id.utf8.count < 3 && member.value.int != nil && !member.name.text.lowercased().hasSuffix("id")
          return isCount ? member : JSONMember(member.name, member.value.replacing(id: id))
        })
    case .number: return idText == id ? "{{id}}" : self
    case .string(let string):
      if string.text == id { return "{{id}}" }
      let words = string.text.split(separator: " ", omittingEmptySubsequences: false).map { word in
        let bare = word.drop { "'\"#(".contains($0) }.prefix { !"'\".,!):;".contains($0) }
        guard bare == id, let range = word.firstRange(of: id) else { return String(word) }
        return word[..<range.lowerBound] + "{{id}}" + word[range.upperBound...]
      }
      let text = words.joined(separator: " ")
      return text == string.text ? self : JSONValue(text)
    default: return self
    }
  }

  /// The template of an action in the declaration's member `answers`; `nil` if the response is the usual one.
  static func action(_ status: Int, usual: Int, body: JSONValue?) -> JSONValue? {
    JSONValue.object(of: ["status": status == usual ? JSONValue?.none : JSONValue(status), "body": body])
      .unlessEmpty
  }
}

// MARK: - Lists

extension JSONValue {
  /// Placeholders for numbers that stand beside a list, by the names of their members in lower case.
  fileprivate static let counts: [(placeholder: JSONValue, names: Set<String>)] = [
    (
      "{{total}}",
      [
        "total", "totalcount", "total_count", "totalitems", "total_items", "totalresults", "size_total",
        "count",
      ]
    ), ("{{page}}", ["page", "currentpage", "current_page", "pagenumber", "page_number"]),
    ("{{size}}", ["per_page", "perpage", "limit", "pagesize", "page_size", "size"]),
    (
      "{{pages}}",
      ["pages", "total_pages", "totalpages", "last_page", "lastpage", "page_count", "pagecount"]
    ), ("{{offset}}", ["offset", "skip", "start"]),
  ]
  private static let links: [(placeholder: JSONValue, names: Set<String>)] = [
    ("{{next}}", ["next", "next_page_url", "nextpage", "next_url", "nexturl"]),
    ("{{previous}}", ["previous", "prev", "prev_page_url", "previous_url", "prevpage"]),
  ]

  /// The template of the envelope around a list; `nil` if there is none.
  /// - Parameters:
  ///   - responses: all pages of it.
  ///   - number: the name of the query item with the number of the page.
  static func envelope(
    of list: CollectionEvidence.Seen, among responses: [JSONValue], number: String, total: Int
  ) -> JSONValue? {
    guard !list.envelope.isEmpty, let response = list.exchange.response else { return nil }
    return response.filled(list.envelope[...], with: "{{items}}") { member, path in
      let name = member.name.text.lowercased()
      let link = links.first { $0.names.contains(name) }?.placeholder
      let values = link == nil ? [] : responses.compactMap { $0.value(at: path) }
      // In each response it is null or has the page's number in its query.
      if let link, values.contains(where: { $0.isLink(number) }),
        values.allSatisfy({ $0.isNull || $0.isLink(number) })
      {
        return link
      }
      return member.counted(list.items.count, total)
    }
  }

  private func value(at path: [String]) -> JSONValue? { path.reduce(Optional(self)) { $0?[$1] } }

  private func isLink(_ number: String) -> Bool {
    guard let text, text.hasPrefix("/") || text.contains("://") else { return false }
    return text.contains("?\(number)=") || text.contains("&\(number)=")
  }
}

extension JSONMember {
  /// The value with placeholders for numbers that belong to the list beside it.
  fileprivate func counted(_ count: Int, _ total: Int) -> JSONValue {
    if let inner = value.members {
      return .object(inner.map { JSONMember($0.name, $0.counted(count, total)) })
    }
    guard let number = value.int else { return value }
    let name = name.text.lowercased()
    if name == "count", number == count, number != total { return "{{count}}" }
    return JSONValue.counts.first { $0.names.contains(name) }?.placeholder ?? value
  }
}
