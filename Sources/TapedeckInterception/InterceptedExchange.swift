public import Foundation
public import TapedeckMocking

/// A request of `URLSession` and how it ended.
public struct InterceptedExchange: Sendable {
  /// Who answered.
  public enum Source: Sendable, Equatable {
    /// A route, like `GET /users/:id`.
    case route(String)
    case network
    /// No route took the request, and the real network was not to be asked.
    case unmatched
  }

  public enum Outcome: Sendable {
    case status(Int)
    case failure(URLError)
  }

  public let request: Request
  public let source: Source
  public let outcome: Outcome

  /// Nil when it failed.
  public var statusCode: Int? {
    if case .status(let status) = outcome { status } else { nil }
  }
}

extension InterceptedExchange: CustomStringConvertible {
  public var description: String {
    let answerer =
      switch source {
      case .route(let route): "route \(route)"
      case .network: "network"
      case .unmatched: "unmatched"
      }
    let result =
      switch outcome {
      case .status(let status): "\(status)"
      case .failure(let error): "failed: \(error.localizedDescription)"
      }
    return "\(request.method) \(request.url) → \(result) (\(answerer))"
  }
}
