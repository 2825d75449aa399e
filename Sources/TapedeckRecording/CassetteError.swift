public import TapedeckHTTP
public import TapedeckRedaction

/// The reason a cassette could not be read or written; `description` says what to do.
public enum CassetteError: Error, Equatable, Sendable {
  /// There is no cassette.
  case absent(directory: String)
  /// Another process records into the cassette; `pid` is `nil` where it cannot be told.
  case locked(directory: String, pid: Int?)
  /// An earlier write failed, or the cassette is sealed.
  case recordingEnded(directory: String)
  /// The system refused; `reason` is its text for `code`.
  case system(action: String, path: String, code: Int32, reason: String)
  /// A link, directory or device stands where a plain file is expected.
  case notAPlainFile(path: String)
  /// A file is not JSON.
  case invalidJSON(file: String, error: JSONError)
  /// A file is JSON, but its `member` is not valid for an interaction.
  case invalidEntry(file: String, member: String, problem: String)
  /// A newer version wrote the cassette.
  case newerFormat(file: String, version: Int)
  /// The file of a body is missing or is not the one that was recorded.
  case invalidBody(file: String, body: String, problem: String)
  /// An interaction's file changed between loading the cassette and reading the interaction.
  case changedSinceLoaded(file: String)
  /// The rules of `--match` cannot be used.
  case invalidRules(MatchSpecError)
  /// A file or folder is larger than what is read.
  case overLimit(path: String, problem: String)
  /// A line of the journal, other than the last, is damaged.
  case damagedJournal(file: String, line: Int, problem: String)
  /// The request would not have its intended effect; `reason` says what would.
  case refused(path: String, reason: String)
  /// The recording contains secrets, which is not allowed. It stays in the journal if `isKept`.
  case secretsFound(directory: String, finds: [SecretFind], isKept: Bool)
  /// The file belongs to another tool, and is only read.
  case notOurs(path: String)
  /// A file is not YAML; line and column count from 1.
  case invalidYAML(file: String, line: Int, column: Int, problem: String)
  /// The file is of no format that is known.
  case unknownFormat(path: String)
  /// An archive that holds a file, or a packed file that cannot be unpacked here.
  case packed(path: String, remedy: String)
}

extension CassetteError {
  init(_ problem: JSONProblem, in file: String) {
    self = .invalidEntry(file: file, member: problem.place, problem: problem.text)
  }

  /// Adds the file name to an error that `read` throws.
  static func naming<Value>(
    _ file: String, _ read: () throws(JSONProblem) -> Value
  ) throws(CassetteError) -> Value {
    do throws(JSONProblem) { return try read() } catch { throw CassetteError(error, in: file) }
  }
}

extension CassetteError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .absent(let directory):
      "there is no cassette at \(directory); record one first, or check the name"
    case .locked(let directory, let pid):
      "\(directory) is being recorded into by \(pid.map { "process \($0)" } ?? "another process"); "
        + "stop that one, or record into another cassette"
    case .recordingEnded(let directory):
      "recording into \(directory) has ended; start again to record more"
    case .system(let action, let path, let code, let reason):
      "cannot \(action) \(path): \(reason)\(Self.remedy(for: code))"
    case .notAPlainFile(let path):
      "\(path) is not a plain file; links, directories and devices are not followed: put the file itself there"
    case .invalidJSON(let file, let error):
      "\(file):\(error.line):\(error.column): \(error.reason); correct the file or restore it from version control"
    case .invalidEntry(let file, let member, let problem):
      "\(file): \(member.isEmpty ? "" : "\(member): ")\(problem); correct the file or record it again"
    case .newerFormat(let file, let version):
      "\(file) was written by a newer tapedeck (format \(version)); update this one to read it"
    case .invalidBody(let file, let body, let problem):
      "\(file): the body \(body.debugDescription) \(problem); restore it from version control or record it again"
    case .changedSinceLoaded(let file):
      "\(file) has changed, or gone, since the cassette was loaded; start again to replay it as it is now"
    case .invalidRules(let error): "--match: \(error)"
    case .overLimit(let path, let problem):
      "\(path): \(problem); spread the recording over several cassettes"
    case .damagedJournal(let file, let line, let problem):
      "\(file):\(line): \(problem); delete this line to go without it, or the file to go without all it holds"
    case .refused(let path, let reason): "\(path): \(reason)"
    case .secretsFound(let directory, let finds, let isKept):
      SecretAdvice.refusal(finds, path: directory, isKept: isKept)
    case .notOurs(let path):
      "\(path) is a file of another tool, which is read and never written; "
        + "make a cassette of it: tapedeck import \(path) --cassette NAME"
    case .invalidYAML(let file, let line, let column, let problem):
      "\(file):\(line):\(column): \(problem); correct the file, or write it again with the tool it is from"
    case .unknownFormat(let path):
      "\(path) is no cassette, and no file that can be read in place of one: HAR, VCR, vcrpy, WireMock or Hoverfly"
    case .packed(let path, let remedy): "\(path) is packed; unpack it first: \(remedy)"
    }
  }
}
