public import TapedeckHTTP

/// Hides secrets in what is remembered, and in a request before it is compared with what is remembered, by one and the
/// same function.
///
/// A secret becomes a placeholder (`Placeholder`) in the encoding of its place: percent-encoded text, JSON and base64
/// stay what they are. What is hidden depends on the message alone, and hiding twice is hiding once: a client that was
/// given a placeholder sends it back, and it matches what was recorded from the real value. Secrets are found by the name
/// they stand under (`SecretNames`), by their looks (`TokenShapes`), and as further copies of one that was found in
/// the same message (`KnownSecrets`).
public struct Redaction: Sendable {
  /// Nil when nothing is hidden.
  public let rules: RedactionRules?
  package let policy: RedactionPolicy?

  public init(_ rules: RedactionRules) {
    self.rules = rules
    policy = RedactionPolicy(rules)
  }

  private init() {
    rules = nil
    policy = nil
  }

  /// Hides nothing.
  public static let off = Redaction()

  /// The default list, with the key for an origin.
  public init(upstream: String?) { self.init(RedactionRules(key: RedactionKey(upstream: upstream))) }

  public var isOn: Bool { policy != nil }
}

extension Redaction: Equatable {
  public static func == (left: Redaction, right: Redaction) -> Bool { left.rules == right.rules }
}

extension Redaction {
  /// The request without its secrets.
  public func redacted(_ request: HTTPRequest) -> HTTPRequest {
    guard let policy else { return request }
    let pass = RedactionPass(policy)
    return pass.redacted(request)
  }

  /// Some fields of a request without their secrets.
  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    policy.map { RedactionPass($0).redacted(fields) } ?? fields
  }

  /// Whether `comparable` may be another request. No costs next to nothing, not even a copy.
  public func mayHide(_ request: HTTPRequest) -> Bool {
    guard let policy else { return false }
    return RequestQuickCheck.mayHide(request, policy)
  }

  /// The request as it is compared: target and body without secrets, fields as they came. Costs next to nothing where
  /// there is nothing to hide.
  public func comparable(_ request: HTTPRequest) -> HTTPRequest {
    guard let policy, mayHide(request) else { return request }
    let pass = RedactionPass(policy)
    return pass.redacted(request, includingFields: false)
  }

  /// A target (path and query) for people to see.
  public func redacted(target: [UInt8]) -> [UInt8] {
    guard let policy else { return target }
    return RedactionPass(policy).redacted(target: target)
  }
}
