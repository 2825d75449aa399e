internal import TapedeckHTTP

/// A command-line option and its help.
struct Option: Sendable {
  let name: String
  /// The name of its value in help; `nil` for a switch.
  let value: String?
  let help: String
  let aliases: [String]
  let isRepeatable: Bool

  init(
    _ name: String, _ value: String? = nil, help: String, aliases: [String] = [], isRepeatable: Bool = false
  ) {
    (self.name, self.value, self.help) = (name, value, help)
    (self.aliases, self.isRepeatable) = (aliases, isRepeatable)
  }

  static let json = Option("--json", help: "print JSON, for programs")
}

/// The arguments of a verb, parsed.
struct Arguments {
  private var values: [String: [String]] = [:]
  private(set) var positional: [String] = []
  /// The command of a verb that takes one: everything from the first word that is not an option, or after `--`.
  private(set) var command: [String] = []
  let usage: String

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
      throw UsageError("unknown option \(name)\(name.suggestion(among: allowed.map(\.name)))")
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
    var value = parts.count == 2 ? parts[1] : nil
    if value == nil, index < words.count, !words[index].hasPrefix("--") {
      value = words[index]
      index += 1
    }
    guard let value, !value.isEmpty else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(valueName)")
    }
    return value
  }

  /// The value of an option, the last if it is repeated.
  subscript(option: Option) -> String? { values[option.name]?.last }
  /// Every value of a repeatable option, in order.
  func all(_ option: Option) -> [String] { values[option.name] ?? [] }
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// A whole number; `nil` if the option is absent.
  func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number)
    else {
      throw UsageError(
        "\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription)"
      )
    }
    return number
  }

  /// A time in milliseconds, given in seconds; `nil` if the option is absent.
  func milliseconds(_ option: Option) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }
    guard isNumber, parts.count <= 2, text.utf8.count <= 10, let seconds = Double(text), seconds >= 0.001,
      seconds <= 86_400
    else {
      throw UsageError(
        "\(option.name) takes seconds from 0.001 to 86400, like 2.5, not \(text.debugDescription)")
    }
    return Int((seconds * 1000).rounded())
  }

  /// One of a few words; `nil` if the option is absent.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ type: Value.Type
  ) throws(UsageError) -> Value? {
    try self[option].map { text throws(UsageError) in try Self.choice(option, text) }
  }

  static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ text: String
  ) throws(UsageError) -> Value {
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue)
      throw UsageError(
        "\(option.name) takes \(known.joined(separator: ", ")), not \(text.debugDescription)"
          + text.suggestion(among: known))
    }
    return value
  }

  /// Sets a number if the option is given.
  func set(
    _ value: inout Int, to option: Option, in range: ClosedRange<Int>, times unit: Int = 1
  ) throws(UsageError) {
    if let number = try number(option, in: range) { value = number * unit }
  }

  /// Sets a time in milliseconds if the option is given.
  func set(_ value: inout Int, toSecondsOf option: Option) throws(UsageError) {
    if let time = try milliseconds(option) { value = time }
  }

  /// The words that are not options.
  /// - Parameters:
  ///   - names: their names; more words are refused.
  ///   - required: how many must be given.
  func words(_ names: String..., required: Int) throws(UsageError) -> [String] {
    guard positional.count >= required else {
      throw UsageError("the \(names[positional.count]) is missing: \(usage)")
    }
    guard positional.count <= names.count else {
      throw UsageError("too many arguments: \(positional[names.count].debugDescription)")
    }
    return positional
  }

  /// Prints a result on standard output, as JSON if `--json` is given.
  func show(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
    if has(.json) { Terminal.out(json: json()) } else { Terminal.out(text()) }
  }
}
