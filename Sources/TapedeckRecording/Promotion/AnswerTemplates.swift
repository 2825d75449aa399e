internal import TapedeckHTTP

/// What recorded answers look like around their objects.
enum AnswerTemplates {
  /// A place at the end of a path of members.
  static func wrapped(_ place: String, _ path: [String]) -> JSONValue {
    path.reversed().reduce(JSONValue("{{\(place)}}")) { .object([JSONMember(JSONString($1), $0)]) }
  }

  /// An answer with a place instead of its object.
  static func replacing(_ path: [String], in answer: JSONValue, with place: String) -> JSONValue {
    guard let name = path.first, let members = answer.members else { return JSONValue("{{\(place)}}") }
    return .object(
      members.map { member in
        guard member.name.text == name else { return member }
        return JSONMember(member.name, replacing(Array(path.dropFirst()), in: member.value, with: place))
      })
  }

  /// An answer with the place `{{id}}` wherever the id stands.
  static func replacing(id: String, in answer: JSONValue) -> JSONValue {
    switch answer {
    case .array(let items): return .array(items.map { replacing(id: id, in: $0) })
    case .object(let members):
      return .object(
        members.map { member in
          let isCount =
            id.utf8.count < 3 && member.value.int != nil && !member.name.text.lowercased().hasSuffix("id")
          return isCount ? member : JSONMember(member.name, replacing(id: id, in: member.value))
        })
    case .number: return answer.idText == id ? "{{id}}" : answer
    case .string(let string):
      if string.text == id { return "{{id}}" }
      let words = string.text.split(separator: " ", omittingEmptySubsequences: false).map { word in
        let bare = word.drop { "'\"#(".contains($0) }.prefix { !"'\".,!):;".contains($0) }
        guard bare == id, let range = word.firstRange(of: bare) else { return String(word) }
        return word[..<range.lowerBound] + "{{id}}" + word[range.upperBound...]
      }
      let text = words.joined(separator: " ")
      return text == string.text ? answer : JSONValue(text)
    default: return answer
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

  /// What a list stands in; nil for nothing.
  static func list(
    _ list: PromotedEvidence.List, in answer: JSONValue, total: Int
  ) -> JSONValue? {
    guard let name = list.envelope.first, let members = answer.members else { return nil }
    return .object(
      members.map { member in
        if member.name.text == name { return JSONMember(member.name, "{{items}}") }
        return JSONMember(member.name, counted(member, list.items.count, total))
      })
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

  /// The members of `answers` for an action.
  static func action(_ status: Int, usual: Int, body: JSONValue?) -> JSONValue? {
    var members: [JSONMember] = []
    if status != usual { members.append(JSONMember("status", JSONValue(status))) }
    if let body { members.append(JSONMember("body", body)) }
    return members.isEmpty ? JSONValue?.none : .object(members)
  }
}
