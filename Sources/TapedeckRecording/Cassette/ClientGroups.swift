import TapedeckHTTP
import TapedeckRedaction

/// The responses of one sequence by the clients they were recorded for: those whose requests agree in credentials and in
/// the fields that the responses vary by form a group.
final class ClientGroups: Sendable {
  private let redaction: Redaction
  private let varying: [[UInt8]]
  /// The responses for each client, in order; by credentials alone; and all whose requests had any.
  private let byIdentity: [ClientIdentity: [Int]]
  private let byCredentials: [[UInt8]?: [Int]]
  private let named: [Int]
  private let all: [Int]

  /// `nil` where all responses are for one client, as nearly everywhere: then nothing has to be compared.
  init?(_ answers: [StoredInteraction], _ redaction: Redaction) {
    guard answers.count > 1 else { return nil }
    let varying = Set(answers.flatMap(\.varying)).sorted { $0.lexicographicallyPrecedes($1) }
    let identities = answers.map { ClientIdentity($0.recorded.request, varying: varying, redaction) }
    guard identities.contains(where: { $0 != identities[0] }) else { return nil }
    self.redaction = redaction
    self.varying = varying
    all = Array(identities.indices)
    byIdentity = Dictionary(grouping: all) { identities[$0] }
    byCredentials = Dictionary(grouping: all) { identities[$0].credentials }
    named = all.filter { identities[$0].credentials != nil }
  }

  /// The responses that a request may get, in order.
  struct Choice: Equatable {
    var indices: [Int]
    /// Whether they were recorded for the client that asks.
    var agrees: Bool
  }

  /// The group that agrees. Where none does: what was recorded with the same credentials; else, for one with
  /// credentials, what was recorded with any, since a response to nobody (401) is the wrong one; else all.
  func choice(for request: HTTPRequest) -> Choice {
    choice(for: ClientIdentity(request, varying: varying, redaction))
  }

  func choice(for client: ClientIdentity) -> Choice {
    if let agreeing = byIdentity[client] { return Choice(indices: agreeing, agrees: true) }
    if let known = byCredentials[client.credentials] { return Choice(indices: known, agrees: false) }
    let isNamed = client.credentials != nil && !named.isEmpty
    return Choice(indices: isNamed ? named : all, agrees: false)
  }
}

/// How often each response of a sequence with several groups was given.
struct ClientTurns {
  /// To the clients they were recorded for.
  private var own: [Int]
  /// To others.
  private var others: [Int]

  init(count: Int) {
    own = Array(repeating: 0, count: count)
    others = own
  }

  /// Takes the response for the next request of a choice; `nil` when all were given and the policy says so.
  ///
  /// Clients that agree have a cursor of their own. Others go through what was not given to anyone yet, then through what
  /// was not given to others.
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
