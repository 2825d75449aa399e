/// Why an answer is what it is, for logs, reports and those who ask; never for deciding anything. Most answers have
/// none: it is made only where someone wants to know.
public final class AnswerExplanation: Sendable {
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

  public init(
    file: String? = nil, turn: Int? = nil, turns: Int? = nil, isRecorded: Bool = false,
    nearest: String? = nil,
    drift: [String] = [], lines: [String] = [], document: JSONValue? = nil
  ) {
    self.file = file
    self.turn = turn
    self.turns = turns
    self.isRecorded = isRecorded
    self.nearest = nearest
    self.drift = drift
    self.lines = lines
    self.document = document
  }
}
