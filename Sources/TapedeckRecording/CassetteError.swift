public import TapedeckHTTP
public import TapedeckRedaction

/// Why a cassette could not be read or written. The payloads are evidence; `description` says what to do.
public enum CassetteError: Error, Equatable, Sendable {
  /// There is no directory, or nothing of a cassette in it.
  case absent(directory: String)
  /// Another process records into it.
  case locked(directory: String, pid: Int?)
  /// Recording has failed before, or the cassette is sealed.
  case recordingEnded(directory: String)
  /// The system refused; `reason` is its word for `code`.
  case system(action: String, path: String, code: Int32, reason: String)
  /// Something that must be a plain file is a link, a directory or a device.
  case notAPlainFile(path: String)
  /// A file is not JSON.
  case invalidJSON(file: String, error: JSONError)
  /// A file is JSON, but `member` of it is not what an interaction has there.
  case invalidEntry(file: String, member: String, problem: String)
  /// Written by a tapedeck newer than this one.
  case newerFormat(file: String, version: Int)
  /// A file in `bodies/` that `file` refers to is invalid.
  case invalidBody(file: String, body: String, problem: String)
  /// An interaction that is read when it is asked for is not in its file as it was when the cassette was loaded.
  case changedSinceLoaded(file: String)
  /// The requested match rules conflict with those of the cassette.
  case invalidRules(MatchSpecError)
  /// There is more of something than `CassetteLimits` allows.
  case overLimit(path: String, problem: String)
  /// A line of the journal, other than its last, is damaged.
  case damagedJournal(file: String, line: Int, problem: String)
  /// The request would not have its intended effect; the reason says what would.
  case refused(path: String, reason: String)
  /// The recording contains secrets, which is not allowed. It stays in the journal, or is dropped where it can be
  /// had again.
  case secretsFound(directory: String, finds: [SecretFind], isKept: Bool)
  /// A file of another tool, into which nothing is recorded.
  case notOurs(path: String)
  /// A file is not YAML.
  case invalidYAML(file: String, line: Int, column: Int, problem: String)
  /// A file that is none of those that can be read.
  case unknownFormat(path: String)
  /// An archive that holds a file, or a packed file that cannot be unpacked here.
  case packed(path: String, remedy: String)
}

extension CassetteError {
  init(_ problem: JSONProblem, in file: String) {
    self = .invalidEntry(file: file, member: problem.place, problem: problem.text)
  }

  /// Names the file in which `read` finds something wrong.
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
