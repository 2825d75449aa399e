import TapedeckHTTP

/// Queries as they are compared.
enum ComparedQuery {
  /// The pairs that count, in the order of their bytes. A GraphQL document in `query` is taken by its tokens.
  static func pairs(of request: HTTPRequest, _ rules: MatchRules) -> [FormPairs.Pair] {
    guard let query = request.query else { return [] }
    var pairs = FormPairs(query)
    pairs.readDocuments()
    return rules.ignoredQuery.isEmpty
      ? pairs.sorted : pairs.sorted.filter { !rules.ignoredQuery.matches($0.name) }
  }
}

extension FormPairs {
  fileprivate mutating func readDocuments() {
    for index in pairs.indices where pairs[index].name.elementsEqual("query".utf8) {
      if let document = GraphQLDocument(pairs[index].value) { pairs[index].value = document.canonical }
    }
  }
}
