/// The words behind a verb, sorted out.
struct Arguments {
  private var values: [String: [String]] = [:]
  private(set) var positional: [String] = []
  /// The command to run, for a verb that takes one: all from the first word that is no option on, or behind `--`.
  private(set) var command: [String] = []
  private let usage: String

  init(_ words: [String], for verb: Verb) throws(UsageError) {
    usage = verb.usage
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" || verb.takesCommand && !Self.isOption(word) {
        let rest = Array(words[(word == "--" ? index : index - 1)...])
        if verb.takesCommand { command = rest } else { positional += rest }
        return
      }
      if Self.isOption(word) {
        try addOption(word, allowed: verb.options, words, &index)
      } else {
        positional.append(word)
      }
    }
  }

  private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

  private mutating func addOption(
    _ word: String, allowed: [Option], _ words: [String], _ index: inout Int
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    guard let option = allowed.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
      throw UsageError("unknown option \(name)\(Spelling.hint(name, among: allowed.map(\.name)))")
    }
    guard values[option.name] == nil || option.isRepeatable else {
      throw UsageError("\(option.name) is given twice")
    }
    values[option.name, default: []].append(try Self.value(of: option, given: parts, words, &index))
  }

  private static func value(
    of option: Option, given parts: [String], _ words: [String], _ index: inout Int
  ) throws(UsageError) -> String {
    guard let valueName = option.value else {
      guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    if parts.count == 2 {
      guard !parts[1].isEmpty else {
        throw UsageError("\(option.name) needs a value: \(option.name) \(valueName)")
      }
      return parts[1]
    }
    guard index < words.count, !words[index].hasPrefix("--"), !words[index].isEmpty else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(valueName)")
    }
    defer { index += 1 }
    return words[index]
  }

  /// The value of an option; of a repeated one the last.
  subscript(option: Option) -> String? { values[option.name]?.last }
  /// Every value of a repeatable option, in order.
  func all(_ option: Option) -> [String] { values[option.name] ?? [] }
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// A whole number within bounds; nil when the option is absent.
  func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text), range.contains(number)
    else {
      throw UsageError(
        "\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription)"
      )
    }
    return number
  }

  /// A time in milliseconds, given in seconds with up to three decimals; nil when the option is absent.
  func milliseconds(_ option: Option) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }
    guard isNumber, parts.count <= 2, text.utf8.count <= 10, let seconds = Double(text), seconds >= 0.001,
      seconds <= 86_400
    else {
      throw UsageError(
        "\(option.name) takes seconds from 0.001 to 86400, like 2.5, not \(text.debugDescription)")
    }
    return Int((seconds * 1000).rounded())
  }

  /// One of a few words; nil when the option is absent.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ type: Value.Type
  ) throws(UsageError) -> Value? {
    guard let text = self[option] else { return nil }
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue)
      throw UsageError(
        "\(option.name) takes \(known.joined(separator: ", ")), not \(text.debugDescription)"
          + Spelling.hint(text, among: known))
    }
    return value
  }

  /// The first word that is no option, which must be there, and all others.
  func word(_ name: String) throws(UsageError) -> (first: String, others: [String]) {
    guard let first = positional.first else { throw UsageError("the \(name) is missing: \(usage)") }
    return (first, Array(positional.dropFirst()))
  }

  /// The words that are no options, which must be at least and at most so many.
  /// - Parameter names: what each stands for.
  func words(_ names: String..., required: Int) throws(UsageError) -> [String] {
    guard positional.count >= required else {
      throw UsageError("the \(names[positional.count]) is missing: \(usage)")
    }
    guard positional.count <= names.count else {
      throw UsageError("\(positional[names.count].debugDescription) is one word too many")
    }
    return positional
  }
}
