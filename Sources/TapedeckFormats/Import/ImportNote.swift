/// Something in another tool's file that a cassette does not hold, or not in that form.
package struct ImportNote: Sendable, Equatable {
  package enum Severity: Sendable, Equatable {
    /// The form changed and the meaning did not.
    case changed
    /// The exchange is there, but a part of what the file says about it is not.
    case lost
    /// The exchange is not there.
    case skipped
  }

  package var severity: Severity
  /// The file, as it was named.
  package var file: String
  /// The place in the file, such as `entry 4`; empty for all of it.
  package var entry: String
  /// The request, without its query, which may hold secrets; empty when it is not known.
  package var request = ""
  /// What could not be carried over, and what became of it. One reason has one wording, so that notes can be counted.
  package var problem: String
}

extension ImportNote: CustomStringConvertible {
  package var description: String {
    let request = request.isEmpty ? "" : " (\(request))"
    return "\(file): \(entry.isEmpty ? "" : "\(entry)\(request): ")\(problem)"
  }

  /// The notes as lines for people: one for each reason, with the first entries that it concerns.
  package static func summary(_ notes: [ImportNote]) -> [String] {
    notes.groupedInOrder(by: \.problem).map { problem, notes in
      let first = notes[0]
      guard notes.count > 1 else { return first.description }
      guard notes.allSatisfy({ $0.file == first.file }) else {
        return "\(notes.map(\.file).firstThree): \(problem)"
      }
      let word = first.entry.prefix { $0 != " " }
      let numbers = notes.map { $0.entry.split(separator: " ").last.map(String.init) ?? "" }
      return "\(first.file): \(word == "entry" ? "entries" : "\(word)s") \(numbers.firstThree): \(problem)"
    }
  }
}
