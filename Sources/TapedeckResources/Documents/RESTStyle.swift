package import TapedeckHTTP

/// How a REST API answers and counts pages, where it does not do it as others do.
package struct RESTStyle: Sendable, Equatable {
  /// Of an action.
  package struct Answer: Sendable, Equatable {
    package var status: Int
    /// With places like `"{{item}}"`; nil for what is usual.
    package var body: JSONValue?

    package init(status: Int, body: JSONValue? = nil) {
      self.status = status
      self.body = body
    }
  }

  /// The query's items that ask for pages.
  package struct Paging: Sendable, Equatable {
    package var number = "page"
    package var size = "per_page"
    /// How many to leave out; nil where nothing asks so.
    package var offset: String?
    /// Of a page that is asked for by its number alone.
    package var standardSize = 20
    /// Whether what is not asked for by pages is the first page all the same.
    package var isAlways = false

    package init() {}
  }

  package var created = Answer(status: 201)
  package var updated = Answer(status: 200)
  package var deleted = Answer(status: 204)
  /// Nil for a problem document.
  package var missing: Answer?
  package var paging = Paging()
  /// Whether a PUT changes only what it names, as a PATCH does.
  package var putMerges = true
  /// Whether a request without a body is one that says nothing.
  package var acceptsEmptyBody = false

  package init() {}
}
