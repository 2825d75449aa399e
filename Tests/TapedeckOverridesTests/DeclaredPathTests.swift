import Testing

@testable import TapedeckHTTP
@testable import TapedeckOverrides

/// What a path in an overrides file may be.
@Suite struct DeclaredPathTests {
  @Test(arguments: [
    "/", "/users/{id}", "/users/:id/posts/{post}", "/files/*rest", "/Products(1)", "/v1.0/a+b", "/a-z/[1]",
    "/a..b",
    "/caf%C3%A9", "/$metadata", "/x/*",
  ])
  func takes(path: String) throws {
    #expect(try PathPattern(declared: path, at: "path") == PathPattern(path))
  }

  @Test(arguments: [
    #"/users/(\d+)"#, #"/a\.json"#, "/(?<id>x)", "/[^/]+", "/a/.*", "/a/.+", "/[a-z]+", "/[0-9]{3}",
    "/x[A-Z]",
    "/{id:[0-9]+}",
  ])
  func refusesRegularExpressions(path: String) {
    do {
      _ = try PathPattern(declared: path, at: "path")
      Issue.record("\(path) is taken")
    } catch {
      #expect("\(error)".contains("a path has no regular expressions; {id} takes any one segment"))
    }
  }

  @Test(arguments: ["/a/{id}/{id}", "/a/:id/:id", "/:id/b/{id}"])
  func refusesOneNameForTwoParameters(path: String) {
    do {
      _ = try PathPattern(declared: path, at: "path")
      Issue.record("\(path) is taken")
    } catch {
      #expect("\(error)".contains("the parameter {id} stands twice in \(path); give each its own name"))
    }
  }
}
