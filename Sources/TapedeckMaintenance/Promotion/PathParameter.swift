import TapedeckHTTP

/// A parameter in the path of a collection, and the member it corresponds to.
struct PathParameter {
  var name: String
  /// Whether responses lack the member.
  var isHidden = false

  /// - Parameter samples: objects, with the values of the parameters in the paths that they came from.
  static func all(
    in pattern: String, _ samples: [(parameters: [String], object: JSONValue)], _ names: Set<String>
  ) -> [PathParameter] {
    let before = wordsBefore(pattern)
    let fitting = samples.filter { $0.parameters.count == before.count }
    var parameters: [PathParameter] = []
    for (number, word) in before.enumerated() {
      let candidates = names.filter { name in
        !fitting.isEmpty && fitting.allSatisfy { $0.object[name]?.idText == $0.parameters[number] }
      }
      let plain = plain(word.lowercased())
      func rank(_ name: String) -> (Int, String) {
        let name = name.lowercased()
        return (name.contains(plain) ? 0 : name.hasSuffix("id") ? 1 : 2, name)
      }
      if let best = candidates.min(by: { rank($0) < rank($1) }), best != "id", rank(best).0 < 2 {
        parameters.append(PathParameter(name: best))
      } else {
        var name = names.contains(where: { $0.contains("_") }) ? "\(plain)_id" : "\(plain)Id"
        while names.contains(name) || parameters.contains(where: { $0.name == name }) { name += "_" }
        parameters.append(PathParameter(name: name, isHidden: true))
      }
    }
    return parameters
  }

  /// The parameters of a path below an object: the last one is its id.
  static func leading(to pattern: String) -> [PathParameter] {
    let words = wordsBefore(pattern)
    return words.enumerated().map { index, word in
      PathParameter(name: "\(index == words.count - 1 ? "" : "_")\(plain(word))Id")
    }
  }

  /// The word before each parameter, in the singular.
  private static func wordsBefore(_ pattern: String) -> [String] {
    let segments = pattern.split(separator: "/").map(String.init)
    return segments.indices.filter { segments[$0] == "{}" }.map { place in
      place > 0 && segments[place - 1] != "{}" ? singular(segments[place - 1]) : "parent"
    }
  }

  private static func plain(_ word: String) -> String { word.filter { $0.isLetter || $0.isNumber } }

  static func filled(_ pattern: String, _ parameters: [PathParameter]) -> String {
    var rest = parameters[...]
    return pattern.split(separator: "/").map { segment in
      segment == "{}" ? "/{\(rest.popFirst()?.name ?? "_")}" : "/\(segment)"
    }.joined()
  }

  /// The singular of an English word, good enough for names of parameters.
  static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    if word.hasSuffix("ses") || word.hasSuffix("xes") || word.hasSuffix("ches") {
      return String(word.dropLast(2))
    }
    return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
  }
}
