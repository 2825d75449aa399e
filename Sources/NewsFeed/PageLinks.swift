internal import TapedeckMocking

/// The `Link` field of a page (RFC 8288): the first, the last and the neighbours.
struct PageLinks {
  let field: String
  var isEmpty: Bool { field.isEmpty }

  init<Element>(path: String, page: Page<Element>) {
    var links: [(relation: String, number: Int)] = []
    if page.hasPrevious { links += [("first", 1), ("prev", page.number - 1)] }
    if page.hasNext { links += [("next", page.number + 1), ("last", page.pageCount)] }
    field = links.map { link in
      "<\(path)?page=\(link.number)&size=\(page.size)>; rel=\"\(link.relation)\""
    }.joined(separator: ", ")
  }
}
