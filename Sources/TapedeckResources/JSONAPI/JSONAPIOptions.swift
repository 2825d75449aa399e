public import TapedeckMocking

/// How a stored type is served by JSON:API.
public struct JSONAPIOptions<T: Storable>: Sendable {
  /// How collections are cut into pages.
  public var pagination: JSONAPIPagination
  /// What can be done beside reading; the rest is a 403.
  public var changes: ResourceActions
  /// Whether new resources may bring their id.
  public var allowsClientIDs: Bool
  /// Your own filters by name: whether an entity is wanted, given the text in `filter[name]=text`. They go before those
  /// on attributes and relationships.
  public var filters: [String: @Sendable (T, String) -> Bool]
  /// The base names of query parameters that are left alone, like `apiVersion`; each with a character outside a–z
  /// (JSON:API 1.1 §8.1). Handlers and predicates may read them.
  public var parameters: Set<String>

  /// Creates options; by default everything is allowed but ids of clients.
  public init(
    pagination: JSONAPIPagination = .number(), changes: ResourceActions = .all,
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

/// How a collection is cut into pages. The parameters of other strategies are a 400.
public enum JSONAPIPagination: Sendable {
  /// `page[…]` is refused.
  case none
  /// `page[number]` from 1, and `page[size]`.
  /// - Parameter size: where the request names none; nil for everything.
  case number(size: Int? = nil, maximumSize: Int = 100)
  /// `page[offset]` from 0, and `page[limit]`.
  /// - Parameter limit: where the request names none; nil for everything.
  case offset(limit: Int? = nil, maximumLimit: Int = 100)
  /// `page[size]`, `page[after]` and `page[before]`, as in the cursor pagination profile.
  case cursor(size: Int = 20, maximumSize: Int = 100)

  static let cursorProfile = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"

  /// The profile that responses follow.
  var profile: String? {
    if case .cursor = self { Self.cursorProfile } else { nil }
  }
}
