import Foundation
import FoundationNetworking
import TapedeckTesting
import Testing
import XCTest

/// The base URL of the origin, which is down in the second run.
let origin = ProcessInfo.processInfo.environment["ORIGIN"] ?? ""

func text(_ path: String) async throws -> String {
  let url = try #require(URL(string: origin + path))
  return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
}

// Each trait is one line above its test.

@Test(.cassette("numbers"), arguments: 0..<200)
func recorded(_ number: Int) async throws {
  #expect(try await text("/number/\(number)") == "\(number)")
}

@Test(
  .overrides { $0.get("/number/:n") { Response(text: "mine \($0.components["n"] ?? "")") } },
  arguments: 0..<200)
func overridden(_ number: Int) async throws {
  #expect(try await text("/number/\(number)") == "mine \(number)")
}

@Test(.interception, arguments: 0..<200)
func intercepted(_ number: Int) async throws {
  Router.register(origin).get("/number/own") { _ in ["number": number] }
  #expect(try await text("/number/own") == #"{"number":\#(number)}"#)
}

final class CassetteTests: XCTestCase {
  func testRecorded() async throws {
    let number = try await withCassette("one") { try await text("/number/1") }
    XCTAssertEqual(number, "1")
  }
}
