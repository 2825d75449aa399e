internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// The resources of an overrides file and of the admin API, as a link of the chain.
final class ResourceResponder: Responder {
  private let resources: ResourceList

  init(_ resources: ResourceList) { self.resources = resources }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    guard !resources.isEmpty else { return nil }
    let request = Request(http: request)
    guard let server = resources.server(for: request),
      let match = server.router.match(request, at: .server),
      case .response(let response) = match.response()
    else { return nil }
    if let decisions { decisions.respond(.store, rule: server.resource(of: match), .declared) }
    return ServedResponse(.response(response), by: .store)
  }
}
