import TapedeckHTTP

/// Templates for what stands around the objects in responses.
enum ResponseTemplates {
  /// A response with a placeholder instead of its object.
  static func replacing(_ path: [String], in response: JSONValue, with place: String) -> JSONValue {
    guard let name = path.first, let members = response.members else { return JSONValue("{{\(place)}}") }
    return .object(
      members.map { member in
        guard member.name.text == name else { return member }
        return JSONMember(member.name, replacing(Array(path.dropFirst()), in: member.value, with: place))
      })
  }

  /// A response with `{{id}}` wherever the id stands.
  static func replacing(id: String, in response: JSONValue) -> JSONValue {
    switch response {
    case .array(let items): return .array(items.map { replacing(id: id, in: $0) })
    case .object(let members):
      return .object(
        members.map { member in
          let isCount =
            id.utf8.count < 3 && member.value.int != nil && !member.name.text.lowercased().hasSuffix("id")
          return isCount ? member : JSONMember(member.name, replacing(id: id, in: member.value))
        })
    case .number: return response.idText == id ? "{{id}}" : response
    case .string(let string):
      if string.text == id { return "{{id}}" }
      let words = string.text.split(separator: " ", omittingEmptySubsequences: false).map { word in
        let bare = word.drop { "'\"#(".contains($0) }.prefix { !"'\".,!):;".contains($0) }
        guard bare == id, let range = word.firstRange(of: bare) else { return String(word) }
        return word[..<range.lowerBound] + "{{id}}" + word[range.upperBound...]
      }
      let text = words.joined(separator: " ")
      return text == string.text ? response : JSONValue(text)
    default: return response
    }
  }

  private static let totals: Set<String> = [
    "total", "totalcount", "total_count", "totalitems", "total_items", "totalresults", "size_total", "count",
  ]
  private static let pages: Set<String> = [
    "page", "currentpage", "current_page", "pagenumber", "page_number",
  ]
  private static let sizes: Set<String> = ["per_page", "perpage", "limit", "pagesize", "page_size", "size"]
  private static let pageCounts: Set<String> = [
    "pages", "total_pages", "totalpages", "last_page", "lastpage", "page_count", "pagecount",
  ]
  private static let offsets: Set<String> = ["offset", "skip", "start"]

  private static let nexts: Set<String> = ["next", "next_page_url", "nextpage", "next_url", "nexturl"]
  private static let previouses: Set<String> = [
    "previous", "prev", "prev_page_url", "previous_url", "prevpage",
  ]

  /// What a list stands in; nil for nothing.
  /// - Parameters:
  ///   - others: the responses with other pages of it.
  ///   - number: the word of the query that says which page.
  static func list(
    _ list: CollectionEvidence.List, in response: JSONValue, among others: [JSONValue], number: String,
    total: Int
  ) -> JSONValue? {
    guard !list.envelope.isEmpty else { return nil }
    let pages = PageLinks(others.isEmpty ? [response] : others, number: number)
    return filled(response, list.envelope[...], []) { member, path in
      pages.place(of: member.name.text, at: path) ?? counted(member, list.items.count, total)
    }
  }

  /// The response with `{{items}}` at the end of the path, and what `value` says for all else.
  private static func filled(
    _ response: JSONValue, _ rest: ArraySlice<String>, _ path: [String],
    _ value: (JSONMember, [String]) -> JSONValue
  ) -> JSONValue {
    guard let name = rest.first else { return "{{items}}" }
    return .object(
      (response.members ?? []).map { member in
        let place = path + [member.name.text]
        return JSONMember(
          member.name,
          member.name.text == name
            ? filled(member.value, rest.dropFirst(), place, value) : value(member, place))
      })
  }

  /// Members that lead to other pages: where each is null or has the page's number in its query.
  private struct PageLinks {
    let responses: [JSONValue]
    let number: String

    init(_ responses: [JSONValue], number: String) {
      self.responses = responses
      self.number = number
    }

    func place(of name: String, at path: [String]) -> JSONValue? {
      let name = name.lowercased()
      guard nexts.contains(name) || previouses.contains(name) else { return nil }
      let values = responses.compactMap { $0.value(at: path) }
      guard values.contains(where: isLink), values.allSatisfy({ $0.isNull || isLink($0) }) else { return nil }
      return nexts.contains(name) ? "{{next}}" : "{{previous}}"
    }

    private func isLink(_ value: JSONValue) -> Bool {
      guard let text = value.text, text.hasPrefix("/") || text.contains("://") else { return false }
      return text.contains("?\(number)=") || text.contains("&\(number)=")
    }
  }

  private static func counted(_ member: JSONMember, _ count: Int, _ total: Int) -> JSONValue {
    if let inner = member.value.members {
      return .object(inner.map { JSONMember($0.name, counted($0, count, total)) })
    }
    guard let number = member.value.int else { return member.value }
    let name = member.name.text.lowercased()
    if totals.contains(name) {
      return name == "count" && number == count && number != total ? "{{count}}" : "{{total}}"
    }
    if pages.contains(name) { return "{{page}}" }
    if sizes.contains(name) { return "{{size}}" }
    if pageCounts.contains(name) { return "{{pages}}" }
    return offsets.contains(name) ? "{{offset}}" : member.value
  }

  /// The template of an action in the declaration's member `answers`; nil where there is nothing to say.
  static func action(_ status: Int, usual: Int, body: JSONValue?) -> JSONValue? {
    var members: [JSONMember] = []
    if status != usual { members.append(JSONMember("status", JSONValue(status))) }
    if let body { members.append(JSONMember("body", body)) }
    return .object(unlessEmpty: members)
  }
}
