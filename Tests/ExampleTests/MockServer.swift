import Foundation
import FoundationNetworking
import Tapedeck
import Testing

/// The folder of the files that routes name.
let mocks = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Mocks").path

/// An answer, as `URLSession` tells it.
struct Heard {
  let status: Int
  let body: String
  let fields: HTTPURLResponse

  func field(_ name: String) -> String? { fields.value(forHTTPHeaderField: name) }
}

private let session = URLSession(configuration: .ephemeral)

func ask(
  _ url: String, _ method: String = "GET", headers: [String: String] = [:], body: String? = nil
) async throws -> Heard {
  var request = URLRequest(url: try #require(URL(string: url)))
  request.httpMethod = method
  request.httpBody = body.map { Data($0.utf8) }
  for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
  let (data, response) = try await session.data(for: request)
  let fields = try #require(response as? HTTPURLResponse)
  return Heard(status: fields.statusCode, body: String(decoding: data, as: UTF8.self), fields: fields)
}

/// A running mock server, that ends with the test.
final class Running {
  let feather: Feather
  var url: String { feather.baseUrl }

  init(_ routes: [MockRoute] = [], feather: Feather = Feather(port: 0, folder: mocks)) throws {
    self.feather = feather
    try feather.startServer(with: routes)
  }

  deinit { feather.pluck() }

  func ask(
    _ path: String, _ method: String = "GET", headers: [String: String] = [:], body: String? = nil
  ) async throws -> Heard {
    try await ExampleTests.ask("\(url)/\(path)", method, headers: headers, body: body)
  }
}
