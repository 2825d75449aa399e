internal import TapedeckHTTP

/// A condition on the host that a request is for, by the name that the client uses: `"api.example.com"`,
/// `"*.example.com:8443"`, or a list of these.
struct HostCondition: Sendable {
  let patterns: [HostPattern]

  init(_ patterns: [HostPattern]) { self.patterns = patterns }

  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    let texts = (value.array ?? [value]).map(\.text)
    patterns = texts.compactMap { $0.flatMap { HostPattern($0) } }
    guard !patterns.isEmpty, patterns.count == texts.count else {
      throw OverrideProblem(
        place,
        "must be a host like \"api.example.com\", \"*.example.com\" or \"localhost:8443\", or a list of them")
    }
  }

  /// - Parameter origin: as the client names it; `nil` if it names none.
  func accepts(_ origin: HTTPOrigin?) -> Bool {
    origin.map { origin in patterns.contains { $0.matches(origin) } } ?? false
  }

  /// Like `host is api.example.com or *.example.com`.
  var description: String { "host is \(patterns.map(\.description).joined(separator: " or "))" }
}
