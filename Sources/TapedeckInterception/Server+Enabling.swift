internal import Foundation
internal import FoundationNetworking

/// Foundation on Linux asks registered protocols last, after its own, which take every request of the web; the shared
/// session asks those of its configuration first, as every session does. So that is where they are put.
extension Server {
  static func enable() { _ = isEnabled }

  static func enableScopes() { _ = areScopesEnabled }

  private static let isEnabled: Bool = {
    _ = URLProtocol.registerClass(Server.self)
    putFirst([Server.self])
    return true
  }()

  private static let areScopesEnabled: Bool = {
    enable()
    putFirst(ScopedServers.makeClasses())
    return true
  }()

  private static func putFirst(_ classes: [Server.Type]) {
    let configuration = URLSession.shared.configuration
    let others = (configuration.protocolClasses ?? []).filter { other in
      !classes.contains { $0 == other }
    }
    configuration.protocolClasses = classes + others
  }
}
