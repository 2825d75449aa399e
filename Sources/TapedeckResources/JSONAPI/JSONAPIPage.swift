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
    of all: [StoredResource], _ pagination: JSONAPIResources.Pagination,
    _ page: [(name: String, value: String)],
    _ request: Request
  ) throws(ResourceProblem) {
    self.all = all
    self.page = page
    self.request = request
    switch pagination {
    case .none:
      try check([])
      takeAll()
    case .number(let size, let maximum): try takeCounted("number", from: 1, "size", size, maximum)
    case .offset(let limit, let maximum): try takeCounted("offset", from: 0, "limit", limit, maximum)
    case .cursor(let size, let maximum): try takeCursor(size, maximum)
    }
  }

  private mutating func takeAll() { items = all.map { ($0, nil) } }

  /// Takes the page at a place that is counted: the page's number from 1, or how many resources come before.
  private mutating func takeCounted(
    _ name: String, from first: Int, _ sizeName: String, _ standard: Int?, _ maximum: Int
  ) throws(ResourceProblem) {
    try check([name, sizeName])
    let given = try number(name, from: first) ?? first
    guard let size = try size(sizeName, maximum) ?? standard ?? (given > first ? maximum : nil) else {
      return takeAll()
    }
    let isOffset = name == "offset"
    let place = isOffset ? min(given, all.count) : given
    let page = isOffset ? Page(of: all, from: place, size: size) : Page(of: all, number: place, size: size)
    let step = isOffset ? size : 1
    let last = first + max(0, page.pageCount - 1) * step
    let previous = place > first ? min(max(first, place - min(step, place)), last) : nil
    let hasNext = isOffset ? size < all.count - place : page.hasNext
    let next = hasNext ? place + step : nil
    let places = [("first", first), ("last", last), ("prev", previous), ("next", next)]
    items = page.items.map { ($0, nil) }
    meta = ["page": ["total": JSONValue(all.count)]]
    links = places.map { relation, place in
      (relation, link(place.map { [(name, String($0)), (sizeName, String(size))] }))
    }
  }

  private mutating func takeCursor(_ standard: Int, _ maximum: Int) throws(ResourceProblem) {
    try check(["size", "after", "before"])
    let given = try size(
      "size", maximum, problem: JSONAPIResources.Pagination.cursorProfile + "max-size-exceeded")
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
    let alphabet: [Character: Character] = ["+": "-", "/": "_"]
    return String(
      Base64.encode(Array(resource.id.utf8)).filter { $0 != "=" }.map { alphabet[$0] ?? $0 })
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

  private func number(_ name: String, from least: Int) throws(ResourceProblem) -> Int? {
    try ResourceProblem.number(text(name), from: least, of: "page[\(name)]")
  }

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
