/// What is wrong with routes that are data. Each text names the route or the place in the JSON.
public enum MockRouteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// JSON that is no route; `place` like `routes[2].status`.
  case badJSON(place: String, problem: String)
  /// The path is not a pattern.
  case badPath(route: String, problem: String)
  /// The status is outside 200 to 999.
  case badStatus(route: String, Int)
  /// The file cannot be read.
  case badFile(route: String, problem: String)
  /// The text that it was given as JSON is none.
  case invalidJSON(route: String, problem: String)
  /// The object cannot be encoded.
  case unencodable(route: String, problem: String)
  /// There is no such route.
  case unknownRoute(route: String, known: [String])

  public var description: String {
    switch self {
    case .badJSON(let place, let problem): "\(place) \(problem)"
    case .badPath(let route, let problem): "\(route): \(problem)"
    case .badStatus(let route, let status):
      "\(route): \(status) is no status for an answer; they go from 200 to 999"
    case .badFile(let route, let problem):
      "\(route): \(problem); the folder is that of the server, or else the current one"
    case .invalidJSON(let route, let problem):
      "\(route): its json is not JSON: \(problem); correct it, or serve what is broken on purpose from a file"
    case .unencodable(let route, let problem): "\(route): its object cannot be encoded: \(problem)"
    case .unknownRoute(let route, let known):
      "there is no route \(route); "
        + (known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))")
    }
  }
}
