/// Why an answer is what it is, for logs, reports and those who ask; never for deciding anything. Most answers have
/// none: it is made only where someone wants to know.
public final class AnswerExplanation: Sendable {
  /// The declared route or resource that answered, by its id.
  public let rule: String?
  /// The file of the recording that was given.
  public let file: String?
  /// Its place among the answers to such a request, from 1, and how many of them there are.
  public let turn: Int?
  public let turns: Int?
  /// Whether the answer is being recorded.
  public let isRecorded: Bool
  /// The recording that comes nearest to a request that has none.
  public let nearest: String?
  /// Where the request differs from the recorded one, though not by the rules.
  public let drift: [String]
  /// What a person should be told beside the one line of the log.
  public let lines: [String]
  /// The same for a program.
  public let document: JSONValue?
  private let actions: @Sendable () -> [String]
  /// The patches and faults that have acted on it so far, like `patch second-time`, with a remark where one could not do
  /// what it should. Of an answer on its way it is complete with the last byte.
  public var applied: [String] { actions() }

  public init(
    rule: String? = nil, file: String? = nil, turn: Int? = nil, turns: Int? = nil, isRecorded: Bool = false,
    nearest: String? = nil,
    drift: [String] = [], lines: [String] = [], document: JSONValue? = nil,
    applied actions: @escaping @Sendable () -> [String] = { [] }
  ) {
    self.rule = rule
    self.file = file
    self.turn = turn
    self.turns = turns
    self.isRecorded = isRecorded
    self.nearest = nearest
    self.drift = drift
    self.lines = lines
    self.document = document
    self.actions = actions
  }

  /// The same of an answer on which more has acted.
  public func adding(applied more: @escaping @Sendable () -> [String]) -> AnswerExplanation {
    let actions = actions
    return AnswerExplanation(
      rule: rule, file: file, turn: turn, turns: turns, isRecorded: isRecorded, nearest: nearest,
      drift: drift, lines: lines,
      document: document, applied: { actions() + more() })
  }
}
