internal import TapedeckHTTP
internal import TapedeckMocking

/// The part of a collection that a request wants, and the links to the other parts (JSON:API 1.1 §7.5; the cursor
/// pagination profile).
struct JSONAPIPage {
  private(set) var items: [(resource: StoredResource, meta: JSONValue?)] = []
  private(set) var links: [(name: String, link: JSONAPILink)] = []
  private(set) var meta: JSONValue?

  private let all: [StoredResource]
  private let page: [(name: String, value: String)]
  private let request: Request

  init(
    of all: [StoredResource], _ pagination: JSONAPIPagination, _ page: [(name: String, value: String)],
    _ request: Request
  ) throws(ResourceProblem) {
    self.all = all
    self.page = page
    self.request = request
    switch pagination {
    case .none:
      try check([])
      takeAll()
    case .number(let size, let maximum): try takeNumber(size, maximum)
    case .offset(let limit, let maximum): try takeOffset(limit, maximum)
    case .cursor(let size, let maximum): try takeCursor(size, maximum)
    }
  }

  private mutating func takeAll() { items = all.map { ($0, nil) } }

  private mutating func take(_ part: some Sequence<StoredResource>) {
    items = part.map { ($0, nil) }
    meta = ["page": ["total": JSONValue(all.count)]]
  }

  private mutating func takeNumber(_ size: Int?, _ maximum: Int) throws(ResourceProblem) {
    try check(["number", "size"])
    let number = try number("number", from: 1) ?? 1
    guard let size = try self.size("size", maximum) ?? size ?? (number > 1 ? maximum : nil) else {
      return takeAll()
    }
    let page = Page(of: all, number: number, size: size)
    take(page.items)
    let last = max(1, page.pageCount)
    func link(_ number: Int?) -> JSONAPILink {
      self.link(number.map { [("number", String($0)), ("size", String(size))] })
    }
    links = [
      ("first", link(1)), ("last", link(last)), ("prev", link(number > 1 ? min(number - 1, last) : nil)),
      ("next", link(page.hasNext ? number + 1 : nil)),
    ]
  }

  private mutating func takeOffset(_ limit: Int?, _ maximum: Int) throws(ResourceProblem) {
    try check(["offset", "limit"])
    let offset = try number("offset", from: 0) ?? 0
    guard let limit = try size("limit", maximum) ?? limit ?? (offset > 0 ? maximum : nil) else {
      return takeAll()
    }
    let start = min(offset, all.count)
    let end = start + min(limit, all.count - start)
    take(all[start..<end])
    func link(_ offset: Int?) -> JSONAPILink {
      self.link(offset.map { [("offset", String($0)), ("limit", String(limit))] })
    }
    links = [
      ("first", link(0)), ("last", link(max(0, all.count - 1) / limit * limit)),
      ("prev", link(start > 0 ? max(0, start - limit) : nil)), ("next", link(end < all.count ? end : nil)),
    ]
  }

  private mutating func takeCursor(_ standard: Int, _ maximum: Int) throws(ResourceProblem) {
    try check(["size", "after", "before"])
    let given = try size("size", maximum, problem: JSONAPIPagination.cursorProfile + "max-size-exceeded")
    let size = given ?? standard
    let (after, before) = (try place("after"), try place("before"))
    let start = after.map { $0 + 1 } ?? 0
    let end = max(start, before ?? all.count)
    let isTruncated = end - start > size
    // Counted from the front, unless only the end is given.
    let isFromEnd = after == nil && before != nil
    let range = isFromEnd ? max(start, end - size)..<end : start..<min(end, start + min(size, end - start))
    items = all[range].map { ($0, ["page": ["cursor": JSONValue(Self.cursor($0))]]) }
    var page: [JSONMember] = [JSONMember("total", JSONValue(all.count))]
    if after != nil, before != nil, isTruncated { page.append(JSONMember("rangeTruncated", true)) }
    meta = ["page": .object(page)]
    let sized = given.map { [("size", String($0))] } ?? []
    func link(_ name: String, _ resource: StoredResource?) -> JSONAPILink {
      self.link(resource.map { sized + [(name, Self.cursor($0))] })
    }
    links = [
      ("prev", link("before", range.lowerBound > 0 ? items.first?.resource : nil)),
      ("next", link("after", range.upperBound < all.count ? items.last?.resource : nil)),
    ]
  }

  private func place(_ name: String) throws(ResourceProblem) -> Int? {
    guard let cursor = text(name) else { return nil }
    if let place = all.firstIndex(where: { Self.cursor($0) == cursor }) { return place }
    throw ResourceProblem(
      400, "no resource has the cursor \(cursor.debugDescription)", parameter: "page[\(name)]")
  }

  /// Opaque to clients: the id in base64, in the alphabet for URLs (RFC 4648 §5).
  private static func cursor(_ resource: StoredResource) -> String {
    Base64.encode(Array(resource.id.utf8)).reduce(into: "") { text, character in
      switch character {
      case "+": text += "-"
      case "/": text += "_"
      case "=": break
      default: text.append(character)
      }
    }
  }

  // MARK: Parameters

  private func check(_ known: [String]) throws(ResourceProblem) {
    for (name, _) in page where !known.contains(name) {
      let list = known.map { "page[\($0)]" }.joined(separator: ", ")
      throw ResourceProblem(
        400, known.isEmpty ? "this collection has no pages" : "the parameters of pages are \(list)",
        parameter: "page[\(name)]")
    }
  }

  private func text(_ name: String) -> String? { page.last { $0.name == name }?.value }

  private func number(_ name: String, from first: Int) throws(ResourceProblem) -> Int? {
    guard let text = text(name) else { return nil }
    if let number = Int(text), number >= first { return number }
    throw ResourceProblem(
      400, "page[\(name)] must be a whole number of at least \(first), not \(text.debugDescription)",
      parameter: "page[\(name)]")
  }

  /// - Parameter problem: the kind of problem that too large a size is.
  private func size(
    _ name: String, _ maximum: Int, problem: String? = nil
  ) throws(ResourceProblem) -> Int? {
    let size = try number(name, from: 1)
    guard let size, size > maximum else { return size }
    throw ResourceProblem(
      400, "a page has at most \(maximum) resources", parameter: "page[\(name)]", type: problem,
      meta: ["page": ["maxSize": JSONValue(maximum)]])
  }

  /// The request's URL with another page; null for none.
  private func link(_ page: [(String, String)]?) -> JSONAPILink {
    guard let page else { return .null }
    let items = page.map { "page%5B\($0)%5D=\(URLEncoding.encoded($1))" }
    let url = request.path(dropping: { $0.hasPrefix("page[") }, adding: items)
    return .simple(value: JSONAPIExchange.bracketed(url))
  }
}
