/// Something that a file of another tool says and a cassette does not, or not in that form.
package struct ImportNote: Sendable, Equatable {
  package enum Severity: Sendable, Equatable {
    /// The form changed and the meaning did not.
    case changed
    /// The exchange is there, but a part of what the file said about it is not.
    case lost
    /// The exchange is not there.
    case skipped
  }

  package var severity: Severity
  /// The file, as it was named.
  package var file: String
  /// Where in the file: `entry 4`; empty for all of it.
  package var entry: String
  /// The request, without its query, in which secrets travel; empty when it is not known.
  package var request = ""
  /// What could not be carried over, and what became of it: one wording for one reason, so that notes can be counted.
  package var problem: String
}

extension ImportNote: CustomStringConvertible {
  package var description: String {
    let request = request.isEmpty ? "" : " (\(request))"
    return "\(file): \(entry.isEmpty ? "" : "\(entry)\(request): ")\(problem)"
  }

  /// How many entries a line names before it counts the others.
  private static let named = 3

  /// The notes as lines for people: one for each reason, with the first entries it holds for.
  package static func summary(_ notes: [ImportNote]) -> [String] {
    var order: [String] = []
    var groups: [String: [ImportNote]] = [:]
    for note in notes {
      if groups[note.problem] == nil { order.append(note.problem) }
      groups[note.problem, default: []].append(note)
    }
    return order.compactMap { groups[$0].flatMap(line) }
  }

  private static func line(_ notes: [ImportNote]) -> String? {
    guard let first = notes.first else { return nil }
    guard notes.count > 1 else { return first.description }
    let isOneFile = notes.allSatisfy { $0.file == first.file }
    let names = notes.prefix(named).map { isOneFile ? shortened($0.entry) : $0.file }.joined(separator: ", ")
    let more = notes.count > named ? " and \(notes.count - named) more" : ""
    let subject = isOneFile ? "\(first.file): \(plural(first.entry)) \(names)" : names
    return "\(subject)\(more): \(first.problem)"
  }

  /// `entry 4` as `4`, behind a word in the plural.
  private static func shortened(_ entry: String) -> String {
    entry.lastIndex(of: " ").map { String(entry[entry.index(after: $0)...]) } ?? entry
  }

  private static func plural(_ entry: String) -> String {
    let word = entry.prefix { $0 != " " }
    return word == "entry" ? "entries" : "\(word)s"
  }
}
