/// From paths to what they have in common: `/posts/1/comments` is `/posts/{}/comments`.
struct PathTemplates {
  /// Steps that have proved to be ids, by the template before them.
  private var known: [String: Set<String>] = [:]

  /// A path with holes, and what is in these.
  struct Match: Hashable {
    var template: String
    var holes: [String]
  }

  mutating func learn(_ id: String, behind path: some Collection<String>) {
    known[match(path).template, default: []].insert(id)
  }

  func match(_ path: some Collection<String>) -> Match {
    var match = Match(template: "", holes: [])
    var last = ""
    for (index, step) in path.enumerated() {
      let isID =
        known[match.template]?.contains(step) == true
        || index > 0 && last != "{}" && PromotedShape.looksLikeID(step) && !Self.isVersion(step, after: last)
      if isID { match.holes.append(step) }
      last = isID ? "{}" : step
      match.template += "/\(last)"
    }
    return match
  }

  private static func isVersion(_ step: String, after last: String) -> Bool {
    step.utf8.count < 3 && ["api", "rest", "v", "version"].contains(last)
  }
}
