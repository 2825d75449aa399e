public import TapedeckMocking

/// How a stored type is served by JSON:API.
public struct JSONAPIOptions<T: Storable>: Sendable {
  public var pagination: JSONAPIPagination
  public var changes: JSONAPIChanges
  /// Whether new resources may bring their id.
  public var allowsClientIDs: Bool
  /// Filters of one's own by name: whether an entity is wanted, given the text in `filter[name]=text`. They go before
  /// those on attributes and relationships.
  public var filters: [String: @Sendable (T, String) -> Bool]
  /// The base names of query parameters that are left alone, like `apiVersion`; each with a character outside of a–z
  /// (JSON:API 1.1 §8.1). Handlers and predicates may look at them.
  public var parameters: Set<String>

  public init(
    pagination: JSONAPIPagination = .number(), changes: JSONAPIChanges = .all,
    allowsClientIDs: Bool = false, filters: [String: @Sendable (T, String) -> Bool] = [:],
    parameters: Set<String> = []
  ) {
    self.pagination = pagination
    self.changes = changes
    self.allowsClientIDs = allowsClientIDs
    self.filters = filters
    self.parameters = parameters
  }
}

/// What can be done to resources beside reading them. What is missing is a 403.
public struct JSONAPIChanges: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let create = JSONAPIChanges(rawValue: 1)
  public static let update = JSONAPIChanges(rawValue: 2)
  public static let delete = JSONAPIChanges(rawValue: 4)
  /// Replacing all members of a to-many relationship.
  public static let replace = JSONAPIChanges(rawValue: 8)
  public static let all: JSONAPIChanges = [.create, .update, .delete, .replace]
}

/// The same without the entity's type.
struct ServedOptions: Sendable {
  var pagination = JSONAPIPagination.number()
  var changes = JSONAPIChanges.all
  var allowsClientIDs = false
  var filters: [String: @Sendable (StoredResource, Store, String) -> Bool] = [:]
  var parameters: Set<String> = []
}
