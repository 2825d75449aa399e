public import TapedeckHTTP

/// Hides secrets in recorded exchanges, and likewise in a request before it is compared with them.
///
/// A secret becomes a `Placeholder` in the encoding of its place, so that percent-encoded text, JSON and
/// base64 stay valid. The result depends on the message alone, and redacting twice changes nothing: a client
/// that was given a placeholder sends it back, and it matches the recording. Secrets are found by name
/// (`SecretNames`), by shape (`TokenShapes`), and as copies of others in the message (`KnownSecrets`).
public struct Redaction: Sendable {
  /// `nil` when redaction is off.
  public let rules: RedactionRules?
  package let policy: RedactionPolicy?

  private init(rules: RedactionRules?) {
    self.rules = rules
    policy = rules.map { RedactionPolicy($0) }
  }

  public init(_ rules: RedactionRules) { self.init(rules: rules) }

  /// Hides nothing.
  public static let off = Redaction(rules: nil)

  /// The default list, with the key for an origin.
  public init(upstream: String?) { self.init(RedactionRules(key: RedactionRules.key(upstream: upstream))) }

  public var isOn: Bool { policy != nil }
}

extension Redaction: Equatable {
  public static func == (left: Redaction, right: Redaction) -> Bool { left.rules == right.rules }
}

extension Redaction {
  public func redacted(_ request: HTTPRequest) -> HTTPRequest {
    guard let policy else { return request }
    return SecretSearch(policy).redacted(request)
  }

  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    policy.map { SecretSearch($0).redacted(fields) } ?? fields
  }

  /// Whether `comparable` may differ from the request. `false` costs next to nothing.
  public func mayHide(_ request: HTTPRequest) -> Bool {
    policy?.mayHide(request) ?? false
  }

  /// The request as it is compared: target and body redacted, fields unchanged. Cheap when nothing is hidden.
  public func comparable(_ request: HTTPRequest) -> HTTPRequest {
    guard let policy, mayHide(request) else { return request }
    return SecretSearch(policy).redacted(request, includingFields: false)
  }

  /// Whether `comparable` may hide more in a request than in one with the same target and body, in which it hides
  /// nothing: only fields that the other one lacks may hold a secret of which there is a copy.
  package func mayHideMore(in request: HTTPRequest, than fields: HTTPFields) -> Bool {
    guard let policy else { return false }
    let search = SecretSearch(policy)
    for index in request.fields.indices where !fields.hasLine(index, of: request.fields) {
      let field = request.fields[index]
      _ = search.finds(in: field.value, named: field.name, in: .header)
    }
    guard search.hasCopies else { return false }
    return request.fields.contains("content-encoding") || !search.copies(in: request.target[...]).isEmpty
      || !search.copies(in: request.body[...]).isEmpty
  }

  /// A target (path and query) without its secrets, for display.
  public func redacted(target: [UInt8]) -> [UInt8] {
    guard let policy else { return target }
    return SecretSearch(policy).redacted(target: target)
  }
}
