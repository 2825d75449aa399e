internal import Synchronization
internal import TapedeckMocking

/// The resources that are served together, from one store.
final class ResourceService: Sendable {
  let store: Store
  /// How many of a path's segments come before those of resources.
  let rootDepth: Int
  private let served = Mutex<[ServedResource]>([])

  init(store: Store, rootDepth: Int) {
    self.store = store
    self.rootDepth = rootDepth
  }

  func add(_ resource: ServedResource) { served.withLock { $0.append(resource) } }

  func resource(named name: String) -> ServedResource? {
    served.withLock { $0.first { $0.type.name == name } }
  }
}

/// A type of resources that is served, and how.
struct ServedResource: Sendable {
  var type: any ResourceType
  /// Below the root, like `/articles`.
  var path: String
  var actions = ResourceActions.all
  var allowsClientIDs = false

  // Of REST:
  /// The serializer that was chosen for this resource.
  var serializer: (any ResourceSerializer)?
  var style = RESTStyle()
  /// Other paths that give the list.
  var lists: [String] = []
  /// Query items with which a request is left to others.
  var passes: Set<String> = []

  // Of JSON:API:
  var pagination = JSONAPIPagination.number()
  var filters: [String: ResourceSelection.Filter] = [:]
  /// Query parameters that are left alone.
  var parameters: Set<String> = []

  init(_ type: any ResourceType, at path: String?) {
    self.type = type
    self.path = (path ?? type.name).split(separator: "/").map { "/\($0)" }.joined()
  }
}

/// What can be done with resources.
public struct ResourceActions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `GET` and `HEAD /articles`; JSON:API always has it.
  public static let index = ResourceActions(rawValue: 1)
  /// `GET` and `HEAD /articles/1`; JSON:API always has it.
  public static let show = ResourceActions(rawValue: 2)
  /// `POST /articles`
  public static let create = ResourceActions(rawValue: 4)
  /// `PUT` and `PATCH /articles/1`, and in JSON:API changes of relationships.
  public static let update = ResourceActions(rawValue: 8)
  /// `DELETE /articles/1`
  public static let delete = ResourceActions(rawValue: 16)
  /// Replacing all members of a to-many relationship at once, in JSON:API.
  public static let replace = ResourceActions(rawValue: 32)
  /// Everything.
  public static let all: ResourceActions = [.index, .show, .create, .update, .delete, .replace]
}
