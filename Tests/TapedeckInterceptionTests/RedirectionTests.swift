import Foundation
import FoundationNetworking
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import Testing

/// A redirection and what is asked next.
private struct Row: Sendable, CustomTestStringConvertible {
  var status: Int
  var method: String
  var next: String
  var testDescription: String { "\(status) to \(method)" }
}

@Suite struct `C. Redirections` {
  @Test(arguments: [
    Row(status: 301, method: "GET", next: "GET "), Row(status: 301, method: "POST", next: "GET "),
    Row(status: 302, method: "POST", next: "GET "), Row(status: 302, method: "PUT", next: "PUT body"),
    Row(status: 303, method: "PUT", next: "GET "), Row(status: 307, method: "POST", next: "POST body"),
    Row(status: 308, method: "POST", next: "POST body"),
  ])
  private func `K85 a redirection is followed`(_ row: Row) async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      let router = Router.register("http://test.com")
      router.any("/old") { _ in Response(redirect: "/new?a=1", statusCode: row.status) }
      router.any("/new") { Response(text: "\($0.method) \($0.text)") }
      let heard = try await URLSession.shared.ask(
        "http://test.com/old", row.method, body: row.method == "GET" ? nil : Data("body".utf8))
      #expect(heard.body == row.next)
      #expect(heard.response.url?.absoluteString == "http://test.com/new?a=1")
    }
  }

  @Test func `K85 to another host, without what was meant for the first, and to the real network`()
    async throws
  {
    let origin = try Origin()
    origin.router.get("/real") { request in
      ["authorized": request.header("Authorization") != nil, "accept": request.header("Accept") == "text/x"]
    }
    try await Interception().run { () async throws in
      let router = Router.register("http://test.com")
      router.get("/out") { _ in Response(redirect: "\(origin.url)/real") }
      let heard = try await URLSession.shared.ask(
        "http://test.com/out", headers: ["Authorization": "Basic x", "Accept": "text/x"])
      #expect(heard.body == #"{"authorized":false,"accept":true}"#)
      #expect(heard.response.url?.absoluteString == "\(origin.url)/real")
    }
  }

  @Test func `K85 a circle ends, and a redirection without a place is an answer`() async throws {
    try await Interception().run { () async throws in
      let router = Router.register("http://test.com")
      router.get("/circle") { _ in Response(redirect: "/circle") }
      router.get("/nowhere") { _ in Response(statusCode: 302) }
      let error = await failure { _ = try await URLSession.shared.text("http://test.com/circle") }
      #expect(error?.code == .httpTooManyRedirects)
      #expect(try await URLSession.shared.ask("http://test.com/nowhere").status == 302)
    }
  }

  @Test func `K85 a delegate may refuse to follow`() async throws {
    final class Stays: NSObject, URLSessionDataDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
      ) {
        completionHandler(nil)
      }
    }
    let interception = Interception()
    interception.register("http://test.com").get("/old") { _ in Response(redirect: "/new") }
    let session = URLSession(
      configuration: interception.configuration, delegate: Stays(), delegateQueue: nil)
    let heard = try await session.ask("http://test.com/old")
    #expect(heard.status == 302)
    #expect(heard.field("Location") == "/new")

    let origin = try Origin()
    origin.router.get("/real") { _ in Response(redirect: "/new") }
    interception.isRecording = true
    #expect(try await session.ask("\(origin.url)/real").status == 302)
    #expect(interception.exchanges.map(\.source) == [.network])
  }

  @Test func `cookies of an answer come with the next request`() async throws {
    let interception = Interception(unmatched: .fail)
    let router = interception.register("http://test.com")
    router.post("/login") { _ in
      Response(statusCode: 204, headers: ["Set-Cookie": "a=1; Path=/", "set-cookie": "b=2; Path=/"])
    }
    router.get("/me") { Response(text: $0.header("Cookie") ?? "nobody") }
    let session = URLSession(configuration: interception.configuration)
    #expect(try await session.text("http://test.com/me") == "nobody")
    _ = try await session.ask("http://test.com/login", "POST")
    #expect(
      Set(try await session.text("http://test.com/me").components(separatedBy: "; ")) == ["a=1", "b=2"])
  }
}
