/// What goes wrong between a request and its answer. Each text says where.
public enum RouterError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `request.continue()` where nobody else answers.
  case nothingBehind(method: String, url: String)
  case badStatus(Int)
  case badHeader(String)
  /// An `async` handler, asked by someone who cannot wait.
  case handlerIsAsync(route: String)

  public var description: String {
    switch self {
    case .nothingBehind(let method, let url):
      "\(method) \(url): the handler let the request go on, but behind this router nobody answers"
    case .badStatus(let status): "\(status) is no status for an answer; they go from 200 to 999"
    case .badHeader(let problem): problem
    case .handlerIsAsync(let route):
      "the handler of \(route) is async: ask with `try await router.respond(to:)`"
    }
  }
}
