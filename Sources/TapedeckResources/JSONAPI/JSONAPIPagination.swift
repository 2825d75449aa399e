/// How a collection is cut into pages. Only the parameters of the one strategy are taken; others are a 400.
public enum JSONAPIPagination: Sendable {
  /// `page[…]` is refused.
  case none
  /// `page[number]` from 1, and `page[size]`.
  /// - Parameter size: where the request says none; nil for all that there is.
  case number(size: Int? = nil, maximumSize: Int = 100)
  /// `page[offset]` from 0, and `page[limit]`.
  /// - Parameter limit: where the request says none; nil for all that there is.
  case offset(limit: Int? = nil, maximumLimit: Int = 100)
  /// `page[size]`, `page[after]` and `page[before]`, as the cursor pagination profile has it.
  case cursor(size: Int = 20, maximumSize: Int = 100)

  static let cursorProfile = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"

  /// The profile that answers follow.
  var profile: String? {
    if case .cursor = self { Self.cursorProfile } else { nil }
  }
}
