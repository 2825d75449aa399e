package import TapedeckHTTP

/// How a REST API responds and counts pages, where it differs from the usual.
package struct RESTStyle: Sendable, Equatable {
  /// The response to an action.
  package struct Response: Sendable, Equatable {
    package var status: Int
    /// With values to fill in, like `"{{item}}"`; nil for the usual one.
    package var body: JSONValue?

    package init(status: Int, body: JSONValue? = nil) {
      self.status = status
      self.body = body
    }
  }

  /// The query items that ask for pages.
  package struct Paging: Sendable, Equatable {
    package var number = "page"
    package var size = "per_page"
    /// How many resources to skip; nil where no item says so.
    package var offset: String?
    /// The size of a page that is asked for by its number alone.
    package var standardSize = 20
    /// Whether a request that asks for no page gets the first one.
    package var isAlways = false
  }

  package var created = Response(status: 201)
  package var updated = Response(status: 200)
  package var deleted = Response(status: 204)
  /// Nil for problem details.
  package var missing: Response?
  package var paging = Paging()
  /// Whether a PUT changes only what it names, as a PATCH does.
  package var putMerges = true
  /// Whether a request without a body counts as an empty object.
  package var acceptsEmptyBody = false
}
