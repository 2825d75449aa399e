import Foundation
import FoundationNetworking
import Tapedeck

/// A line a test can compare: status, the header field an example sets, body.
func ask(_ session: URLSession, _ base: String, _ line: String) -> String {
  let words = line.split(separator: " ")
  guard let url = URL(string: base + words[1]) else { return "no URL: \(line)" }
  var request = URLRequest(url: url)
  request.httpMethod = String(words[0])
  let done = DispatchSemaphore(value: 0)
  let answer = Answer()
  // As the README asks, but that the semaphore lets a script wait for it.
  session.dataTask(with: request) { (data, response, error) in
    // `URLResponse` has no status and no fields: the README left the cast out.
    if let response = response as? HTTPURLResponse {
      let statusCode = response.statusCode
      // `allHeaderFields` has it as `Access_token`: Foundation on Linux spells names in its own way.
      let token = response.value(forHTTPHeaderField: "access_token").map { " \($0)" } ?? ""
      answer.text = "\(statusCode)\(token) \(String(decoding: data ?? Data(), as: UTF8.self))"
    } else {
      answer.text = "\(String(describing: error))"
    }
    done.signal()
  }.resume()
  done.wait()
  return answer.text
}

/// Written by one thread, then read by another.
final class Answer: @unchecked Sendable {
  var text = ""
}

/// The README's way for libraries with a session of their own.
let configuration = URLSessionConfiguration.default
configuration.protocolClasses = [Server.self]
let sessionOfALibrary = URLSession(configuration: configuration)

printSerialized()
for example in examples {
  var heard: [[String]] = []
  for session in [URLSession.shared, sessionOfALibrary] {
    _ = example.register()
    heard.append(example.requests.map { ask(session, "http://www.test.com", $0) })
    Router.unregister("http://www.test.com")
  }

  var proxied = ProxyConfiguration()
  proxied.listen = "127.0.0.1:0"
  proxied.router = example.register()
  let proxy = try ProxyServer(proxied)
  heard.append(example.requests.map { ask(URLSession.shared, proxy.baseURL, $0) })
  _ = try proxy.stop()
  Router.unregister("http://www.test.com")

  for (index, request) in example.requests.enumerated() {
    let answers = heard.map { $0[index] }
    precondition(answers.allSatisfy { $0 == answers[0] }, "\(example.name) \(request): \(answers)")
    print("\(example.name): \(request) -> \(answers[0])")
  }
}
