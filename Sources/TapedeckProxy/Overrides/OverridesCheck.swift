internal import TapedeckHTTP

/// An overrides file, looked at without using it.
public struct OverridesCheck: Sendable {
  /// Something that is wrong with it, and where; lines and columns count from 1.
  public struct Problem: Sendable, Equatable {
    public let line: Int
    public let column: Int
    public let text: String
  }

  /// Of each rule the first thing.
  public let problems: [Problem]
  /// Rules that are in order.
  public let ruleCount: Int

  /// - Parameter file: to whose folder the files in it are relative.
  public init(_ bytes: [UInt8], named file: String) {
    do {
      let document = OverridesDocument(
        try JSONValue(parsing: bytes), folder: OverridesFile.folder(of: file))
      problems = document.problems.map { Problem($0, in: bytes) }
      ruleCount = document.ruleCount
    } catch {
      problems = [Problem(error)]
      ruleCount = 0
    }
  }

  /// Whether bytes are what only an overrides file is like, in order or not.
  public static func isOverrides(_ bytes: [UInt8]) -> Bool {
    guard let json = try? JSONValue(parsing: bytes) else { return false }
    let kinds = OverrideKind.allCases.map(\.rawValue)
    return (json.members ?? []).contains { NearestWord.to($0.name.text, among: kinds) != nil }
  }
}

extension OverridesCheck.Problem {
  init(_ problem: OverrideProblem, in bytes: [UInt8]) {
    let position = JSONPosition(of: problem.place, in: bytes)
    self.init(line: position.line, column: position.column, text: "\(problem)")
  }

  init(_ error: JSONError) {
    let advice = error.reason == .unexpectedByte(UInt8(ascii: "/")) ? "; JSON has no comments" : ""
    self.init(line: error.line, column: error.column, text: "not JSON: \(error.reason)\(advice)")
  }

  func error(in file: String, others: Int = 0) -> ProxyError {
    let rest = others == 0 ? "" : " (and \(others) more: tapedeck lint \(file) tells all)"
    return .badOverrides(place: "\(file):\(line):\(column)", problem: text + rest)
  }
}
