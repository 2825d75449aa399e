/// Why an answer is what it is, for logs, reports and those who ask; never for deciding anything. Most answers have
/// none: it is made only where someone wants to know.
public final class ResponseExplanation: Sendable {
  /// The declared route or resource that answered, by its id.
  public let rule: String?
  /// The file of the recording that was given.
  public let file: String?
  /// Its place among the answers to such a request, from 1, and how many of them there are.
  public let turn: Int?
  public let turns: Int?
  /// Whether the answer is being recorded.
  public let isRecorded: Bool
  private let details: Details?

  /// What was given in place of a response that was not recorded.
  public enum Substitution: String, Sendable {
    /// One that was recorded for another client.
    case otherClient = "other-client"
    /// A full one, where the range or the condition that is asked for was not recorded.
    case otherVariant = "other-variant"
  }

  /// What few answers have.
  private final class Details: Sendable {
    let nearest: String?
    let drift: [String]
    let substitution: Substitution?
    let lines: [String]
    let document: JSONValue?
    let failure: ExchangeFailure?
    let actions: @Sendable () -> [String]

    init(
      nearest: String? = nil, drift: [String] = [], substitution: Substitution? = nil, lines: [String] = [],
      document: JSONValue? = nil, failure: ExchangeFailure? = nil,
      actions: @escaping @Sendable () -> [String] = { [] }
    ) {
      self.nearest = nearest
      self.drift = drift
      self.substitution = substitution
      self.lines = lines
      self.document = document
      self.failure = failure
      self.actions = actions
    }
  }

  /// The recording that comes nearest to a request that has none.
  public var nearest: String? { details?.nearest }
  /// Where the request differs from the recorded one, though not by the rules.
  public var drift: [String] { details?.drift ?? [] }
  public var substitution: Substitution? { details?.substitution }
  /// What a person should be told beside the one line of the log.
  public var lines: [String] { details?.lines ?? [] }
  /// The same for a program.
  public var document: JSONValue? { details?.document }
  /// Why the exchange failed.
  public var failure: ExchangeFailure? { details?.failure }
  /// The patches and faults that have acted on it so far, like `patch second-time`, with a remark where one could not do
  /// what it should. Of an answer on its way it is complete with the last byte.
  public var applied: [String] { details?.actions() ?? [] }

  private init(rule: String?, file: String?, turn: Int?, turns: Int?, isRecorded: Bool, _ details: Details?) {
    self.rule = rule
    self.file = file
    self.turn = turn
    self.turns = turns
    self.isRecorded = isRecorded
    self.details = details
  }

  public convenience init(rule: String? = nil, isRecorded: Bool = false) {
    self.init(rule: rule, file: nil, turn: nil, turns: nil, isRecorded: isRecorded, nil)
  }

  /// Of an answer that was recorded.
  public convenience init(
    file: String, turn: Int, turns: Int, drift: [String] = [], substitution: Substitution? = nil
  ) {
    let isPlain = drift.isEmpty && substitution == nil
    let details = isPlain ? nil : Details(drift: drift, substitution: substitution)
    self.init(rule: nil, file: file, turn: turn, turns: turns, isRecorded: false, details)
  }

  /// Of a refusal.
  public convenience init(nearest: String?, lines: [String] = [], document: JSONValue? = nil) {
    let details = Details(nearest: nearest, lines: lines, document: document)
    self.init(rule: nil, file: nil, turn: nil, turns: nil, isRecorded: false, details)
  }

  /// Of an exchange that failed.
  public convenience init(failure: ExchangeFailure) {
    self.init(
      rule: nil, file: nil, turn: nil, turns: nil, isRecorded: false, Details(failure: failure))
  }

  /// The same of an exchange that failed after all; nothing of it is recorded.
  public func failed(_ failure: ExchangeFailure) -> ResponseExplanation {
    copy(isRecorded: false, failure: failure) { [] }
  }

  /// The same of a response on which more has acted.
  public func adding(applied more: @escaping @Sendable () -> [String]) -> ResponseExplanation {
    copy(isRecorded: isRecorded, failure: failure, adding: more)
  }

  private func copy(
    isRecorded: Bool, failure: ExchangeFailure?, adding more: @escaping @Sendable () -> [String]
  ) -> ResponseExplanation {
    let actions = details?.actions
    return ResponseExplanation(
      rule: rule, file: file, turn: turn, turns: turns, isRecorded: isRecorded,
      Details(
        nearest: nearest, drift: drift, substitution: substitution, lines: lines, document: document,
        failure: failure, actions: { (actions?() ?? []) + more() }))
  }
}
