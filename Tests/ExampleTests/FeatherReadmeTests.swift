import Foundation
import FoundationNetworking
import Tapedeck
import Testing
import XCTest

// The example of Feather's README: as an XCTest, as it stands there, and as a Swift Testing suite. `import Feather` is
// `import Tapedeck`, and what may fail throws, hence each `try`.

struct MockUser: Codable, Equatable {
  var name = "John Doe"
  var username = "JohnD"
  var email = "john.doe@email.com"

  static func mock(username: String = "JohnD") -> MockUser { MockUser(username: username) }
}

/// What stands in for the application: another process, which knows the base URL from its environment, shows a list and
/// a second screen, and asks again when it is told to refresh.
final class Application {
  var launchEnvironment: [String: String] = [:]
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// - Parameter paths: of its screens.
  func launch(_ paths: [String] = ["user"]) throws {
    process.executableURL = URL(filePath: "/bin/sh")
    let script = #"while read -r path; do curl -s -w '\n' "$baseUrl/$path"; done"#
    process.arguments = ["-c", script]
    process.environment = launchEnvironment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
  }

  /// What a screen shows after it was opened, or refreshed: the body of the answer.
  func show(_ path: String) -> String {
    input.fileHandleForWriting.write(Data("\(path)\n".utf8))
    var heard = Data()
    while heard.last != UInt8(ascii: "\n") {
      guard let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else { break }
      heard += byte
    }
    return String(decoding: heard.dropLast(), as: UTF8.self)
  }

  func terminate() {
    try? input.fileHandleForWriting.close()
    if process.isRunning { process.waitUntilExit() }
  }
}

final class ExampleUITests: XCTestCase {
  var app: Application?
  var feather: Feather?

  override func setUp() {
    super.setUp()
    let feather = Feather(port: 0)  // 8080 there; port 0 lets tests run side by side
    let app = Application()  // `XCUIApplication()` there
    app.launchEnvironment["baseUrl"] = feather.baseUrl
    (self.feather, self.app) = (feather, app)
  }

  override func tearDown() {
    app?.terminate()
    feather?.pluck()
    feather = nil
    app = nil
    super.tearDown()
  }

  func test_example() throws {
    let (feather, app) = (try XCTUnwrap(feather), try XCTUnwrap(app))
    let routes: [MockRoute] = [
      .init(
        method: .get,
        endpoint: "user",
        code: 200,
        object: MockUser.mock())
    ]

    try feather.startServer(with: routes)
    try app.launch()

    // Test Assertions
    XCTAssertEqual(app.show("user"), #"{"name":"John Doe","username":"JohnD","email":"john.doe@email.com"}"#)
    try feather.updateRoute(method: .get, endpoint: "user", object: MockUser.mock(username: "Jane"))
    XCTAssert(app.show("user").contains(#""username":"Jane""#))
  }
}

@Suite struct `Feather's README` {
  private let jsonString = """
    {
     "name": "John Doe",
     "username": "JohnD",
     "email": "john.doe@email.com"
    }
    """

  @Test func `K303 the names of Feather are there, and its example works`() async throws {
    let feather = Feather(host: "localhost", port: 0)
    let app = Application()
    app.launchEnvironment["baseUrl"] = feather.baseUrl
    defer {
      app.terminate()
      feather.pluck()
    }
    let routes: [MockRoute] = [
      MockRoute(method: .get, endpoint: "user", code: 200, json: jsonString),
      MockRoute(method: .get, endpoint: "users/1", code: 200, object: MockUser.mock()),
    ]
    try feather.startServer(with: routes)
    try app.launch()
    #expect(app.show("users/1") == #"{"name":"John Doe","username":"JohnD","email":"john.doe@email.com"}"#)
    feather.pluck()
    #expect(!feather.isRunning)
  }

  @Test func `K303 the names of Kakapo are there`() {
    let names: [Any.Type] = [
      Router.self, Store.self, (any Storable).self, (any Serializable).self, (any CustomSerializable).self,
      PropertyPolicy<Int>.self, SnakecaseTransformer<[String]>.self, JSONAPIDocument.self,
      (any JSONAPIEntity).self, JSONAPIError.self, JSONAPILink.self, Response.self, Request.self,
      (any ResponseFieldsProvider).self, Server.self, MockRoute.self, Feather.self,
    ]
    #expect(names.count == 17)
  }

  @Test func `K225 list, update and refresh, and a second screen, in an application of its own process`()
    throws
  {
    let feather = Feather(port: 0)
    let app = Application()
    app.launchEnvironment["baseUrl"] = feather.baseUrl
    defer {
      app.terminate()
      feather.pluck()
    }
    try feather.startServer(with: [
      MockRoute(method: .get, endpoint: "users", code: 200, object: [MockUser.mock()]),
      MockRoute(method: .get, endpoint: "users/1", code: 200, json: #"{"name": "John"}"#),
    ])
    try app.launch()
    #expect(app.show("users").hasPrefix(#"[{"name":"John Doe""#))
    try feather.updateRoute(method: .get, endpoint: "users", object: [MockUser]())
    #expect(app.show("users") == "[]")
    #expect(app.show("users/1") == #"{"name": "John"}"#)
  }
}
