public import TapedeckHTTP

/// What a route handler gets to see of a request, in Kakapo's words.
public struct Request: Sendable {
  /// What the holes of the route's path caught, by name.
  public let components: [String: String]
  /// The whole request underneath.
  public let http: HTTPRequest

  public init(components: [String: String] = [:], http: HTTPRequest) {
    self.components = components
    self.http = http
  }

  public var httpBody: [UInt8] { http.body }
}
