import TapedeckHTTP

/// Generalizes paths to patterns: `/posts/1/comments` matches `/posts/{}/comments`.
struct PathPatterns {
  /// Segments that have proved to be ids, by the pattern before them.
  private var known: [String: Set<String>] = [:]

  /// The pattern of a path, and the values of its parameters.
  struct Match: Hashable {
    var pattern: String
    var parameters: [String]
  }

  mutating func learn(_ id: String, behind path: some Collection<String>) {
    known[match(path).pattern, default: []].insert(id)
  }

  func match(_ path: some Collection<String>) -> Match {
    var match = Match(pattern: "", parameters: [])
    var last = ""
    for (index, segment) in path.enumerated() {
      let isID =
        known[match.pattern]?.contains(segment) == true
        || index > 0 && last != "{}" && ObjectFinder.looksLikeID(segment)
          && !Self.isVersion(segment, after: last)
      if isID { match.parameters.append(segment) }
      last = isID ? "{}" : segment
      match.pattern += "/\(last)"
    }
    return match
  }

  private static func isVersion(_ segment: String, after last: String) -> Bool {
    segment.utf8.count < 3 && ["api", "rest", "v", "version"].contains(last)
  }
}

/// A parameter in the path of a collection, and the member that it stands for.
struct PathParameter {
  var name: String
  /// Whether responses lack the member.
  var isHidden: Bool

  /// A parameter that stands for no member.
  var ignored: PathParameter { PathParameter(name: "_\(name)", isHidden: false) }

  /// - Parameter samples: objects, with the values of the parameters in the paths that they came from.
  static func all(
    in pattern: String, _ samples: [(parameters: [String], object: JSONValue)], _ names: Set<String>
  ) -> [PathParameter] {
    let segments = pattern.split(separator: "/").map(String.init)
    let places = segments.indices.filter { segments[$0] == "{}" }
    var parameters: [PathParameter] = []
    for (number, place) in places.enumerated() {
      let before = place > 0 && segments[place - 1] != "{}" ? singular(segments[place - 1]) : "parent"
      let fitting = samples.filter { $0.parameters.count == places.count }
      let candidates = names.filter { name in
        !fitting.isEmpty && fitting.allSatisfy { $0.object[name]?.idText == $0.parameters[number] }
      }
      let plain = String(before.lowercased().filter { $0.isLetter || $0.isNumber })
      let best = candidates.min { left, right in
        func rank(_ name: String) -> (Int, String) {
          let name = name.lowercased()
          return (name.contains(plain) ? 0 : name.hasSuffix("id") ? 1 : 2, name)
        }
        return rank(left) < rank(right)
      }
      if let best, best != "id", best.lowercased().contains(plain) || best.lowercased().hasSuffix("id") {
        parameters.append(PathParameter(name: best, isHidden: false))
      } else {
        var name = names.contains(where: { $0.contains("_") }) ? "\(plain)_id" : "\(plain)Id"
        while names.contains(name) || parameters.contains(where: { $0.name == name }) { name += "_" }
        parameters.append(PathParameter(name: name, isHidden: true))
      }
    }
    return parameters
  }

  static func filled(_ pattern: String, _ parameters: [PathParameter]) -> String {
    var rest = parameters[...]
    return pattern.split(separator: "/").map { segment in
      segment == "{}" ? "/{\(rest.popFirst()?.name ?? "_")}" : "/\(segment)"
    }.joined()
  }

  /// An English word in the singular, as far as names of parameters need it.
  static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    if word.hasSuffix("ses") || word.hasSuffix("xes") || word.hasSuffix("ches") {
      return String(word.dropLast(2))
    }
    return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
  }
}
