import TapedeckHTTP
import TapedeckRedaction

/// Groups the responses of a sequence by client, identified by credentials and varying fields.
final class ClientGroups: Sendable {
  /// The responses that a request may get, in order, and whether they were recorded for its client.
  typealias Choice = (indices: [Int], agrees: Bool)

  private let redaction: Redaction
  private let varying: [[UInt8]]
  private let byIdentity: [ClientIdentity: [Int]]
  private let byCredentials: [[UInt8]?: [Int]]
  private let named: [Int]
  private let all: [Int]

  /// `nil` when all responses are for one client, the usual case, which needs no comparison.
  init?(_ interactions: [StoredInteraction], _ redaction: Redaction) {
    guard interactions.count > 1 else { return nil }
    let varying = Set(interactions.flatMap(\.varying)).sorted { $0.lexicographicallyPrecedes($1) }
    let identities = interactions.map { ClientIdentity($0.recorded.request, varying: varying, redaction) }
    guard identities.contains(where: { $0 != identities[0] }) else { return nil }
    self.redaction = redaction
    self.varying = varying
    all = Array(identities.indices)
    byIdentity = Dictionary(grouping: all) { identities[$0] }
    byCredentials = Dictionary(grouping: all) { identities[$0].credentials }
    named = all.filter { identities[$0].credentials != nil }
  }

  /// The matching group; else responses recorded with the same credentials; else, for a request with
  /// credentials, those recorded with any, since a response without any (401) would be wrong; else all.
  func choice(for request: HTTPRequest) -> Choice {
    let client = ClientIdentity(request, varying: varying, redaction)
    if let agreeing = byIdentity[client] { return (agreeing, agrees: true) }
    if let known = byCredentials[client.credentials] { return (known, agrees: false) }
    return (client.credentials != nil && !named.isEmpty ? named : all, agrees: false)
  }
}

struct ClientTurns {
  /// Responses given to the clients they were recorded for.
  private var own: [Int]
  /// Responses given to other clients.
  private var others: [Int]

  init(count: Int) {
    own = Array(repeating: 0, count: count)
    others = own
  }

  /// Takes the response for the next request of a choice; `nil` when the policy ends an exhausted sequence.
  /// Matching clients have their own cursor; others first get responses that no client got yet.
  mutating func take(_ choice: ClientGroups.Choice, _ policy: ExhaustionPolicy) -> (index: Int, number: Int)?
  {
    let given = choice.agrees ? own : others
    let number = choice.indices.reduce(1) { $0 + given[$1] }
    let fresh = choice.indices.filter { given[$0] == 0 }
    let next: Int?
    if let first = fresh.first {
      next = choice.agrees ? first : fresh.first { own[$0] == 0 } ?? first
    } else {
      next =
        switch policy {
        case .repeatLast: choice.indices.last
        case .loop: choice.indices.min { given[$0] < given[$1] }
        case .miss: nil
        }
    }
    guard let next else { return nil }
    if choice.agrees { own[next] += 1 } else { others[next] += 1 }
    return (next, number)
  }
}
