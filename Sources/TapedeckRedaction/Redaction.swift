public import TapedeckHTTP

/// Hides secrets in recorded exchanges, and in a request before it is compared with recorded ones, by the same function.
///
/// A secret becomes a placeholder (`Placeholder`) in the encoding of its place, so that percent-encoded text, JSON and
/// base64 stay what they are. The result depends on the message alone, and redacting twice changes nothing: a client that
/// was given a placeholder sends it back, and it matches the recording of the real value. Secrets are found by their
/// names (`SecretNames`), by their shapes (`TokenShapes`), and as copies of others in the message (`KnownSecrets`).
public struct Redaction: Sendable {
  /// `nil` when redaction is off.
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
    return SecretSearch(policy).redacted(request)
  }

  /// Some fields of a request without their secrets.
  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    policy.map { SecretSearch($0).redacted(fields) } ?? fields
  }

  /// Whether `comparable` may differ from the request. `false` costs next to nothing, not even a copy.
  public func mayHide(_ request: HTTPRequest) -> Bool {
    guard let policy else { return false }
    return RequestQuickCheck.mayHide(request, policy)
  }

  /// The request as it is compared: target and body without secrets, fields unchanged. Costs next to nothing where there
  /// is nothing to hide.
  public func comparable(_ request: HTTPRequest) -> HTTPRequest {
    guard let policy, mayHide(request) else { return request }
    return SecretSearch(policy).redacted(request, includingFields: false)
  }

  /// A target (path and query) without its secrets, for people to see.
  public func redacted(target: [UInt8]) -> [UInt8] {
    guard let policy else { return target }
    return SecretSearch(policy).redacted(target: target)
  }
}
