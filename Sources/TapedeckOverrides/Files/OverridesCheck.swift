internal import TapedeckHTTP

/// An overrides file, looked at without using it.
package struct OverridesCheck: Sendable {
  /// Something that is wrong with it, and where; lines and columns count from 1.
  package struct Problem: Sendable, Equatable {
    package let line: Int
    package let column: Int
    package let text: String
  }

  /// Of each rule the first thing.
  package let problems: [Problem]
  /// Rules that are in order.
  package let ruleCount: Int

  package init(_ bytes: [UInt8], of file: OverridesFile) {
    do {
      let document = OverridesDocument(try JSONValue(parsing: bytes), files: file.files)
      problems = document.problems.map { Problem($0, in: bytes) }
      ruleCount = document.ruleCount
    } catch {
      problems = [Problem(error)]
      ruleCount = 0
    }
  }

  /// Whether bytes are what only an overrides file is like, in order or not.
  package static func isOverrides(_ bytes: [UInt8]) -> Bool {
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

  func error(in file: String, others: Int = 0) -> OverridesFileError {
    let rest = others == 0 ? "" : " (and \(others) more: tapedeck lint \(file) tells all)"
    return .invalid(place: "\(file):\(line):\(column)", problem: text + rest)
  }
}
