internal import TapedeckHTTP

/// A hole in the path of a collection, and the member that it stands for.
struct PathHole {
  var name: String
  /// Whether answers do not have the member.
  var isHidden: Bool

  /// As a hole that means nothing.
  var ignored: PathHole { PathHole(name: "_\(name)", isHidden: false) }

  /// - Parameter samples: objects, and what was in the holes of the paths that they came from.
  static func all(
    in template: String, _ samples: [(holes: [String], object: JSONValue)], _ names: Set<String>
  ) -> [PathHole] {
    let steps = template.split(separator: "/").map(String.init)
    let places = steps.indices.filter { steps[$0] == "{}" }
    var holes: [PathHole] = []
    for (number, place) in places.enumerated() {
      let before = place > 0 && steps[place - 1] != "{}" ? Singular.of(steps[place - 1]) : "parent"
      let fitting = samples.filter { $0.holes.count == places.count }
      let candidates = names.filter { name in
        !fitting.isEmpty && fitting.allSatisfy { $0.object[name]?.idText == $0.holes[number] }
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
        holes.append(PathHole(name: best, isHidden: false))
      } else {
        var name = names.contains(where: { $0.contains("_") }) ? "\(plain)_id" : "\(plain)Id"
        while names.contains(name) || holes.contains(where: { $0.name == name }) { name += "_" }
        holes.append(PathHole(name: name, isHidden: true))
      }
    }
    return holes
  }

  static func filled(_ template: String, _ holes: [PathHole]) -> String {
    var rest = holes[...]
    return template.split(separator: "/").map { step in
      step == "{}" ? "/{\(rest.popFirst()?.name ?? "_")}" : "/\(step)"
    }.joined()
  }
}
