extension ImportNote {
  /// How many entries a line names before it counts the others.
  private static let named = 3

  /// The notes as lines for people: one for each reason, with the first entries it holds for.
  public static func summary(_ notes: [ImportNote]) -> [String] {
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
