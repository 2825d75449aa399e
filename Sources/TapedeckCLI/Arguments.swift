internal import TapedeckHTTP

/// The arguments of a verb, parsed.
struct Arguments {
  let verb: Verb
  private(set) var settings: [String: OptionSetting] = [:]
  private(set) var positional: [String] = []
  /// The command of a verb that takes one: everything from the first word that is not an option, or after `--`.
  private(set) var command: [String] = []
  var usage: String { verb.usage }

  init(_ words: [String], for verb: Verb) throws(UsageError) {
    self.verb = verb
    try read(words)
    if verb.namesCassette { try takeCassette() }
  }

  private mutating func read(_ words: [String]) throws(UsageError) {
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        let rest = Array(words[index...])
        if verb.takesCommand { command = rest } else { positional += rest }
        return
      }
      if Self.isOption(word) {
        try addOption(word, allowed: verb.allOptions, words, &index)
      } else if verb.takesCommand, try !isCassette(before: words[index...]) {
        command = Array(words[(index - 1)...])
        return
      } else {
        positional.append(word)
      }
    }
  }

  /// Whether nothing but options stands between a word and `--`, as in `run NAME --upstream URL -- COMMAND`. Any other
  /// word begins the command.
  /// - Throws: if an option there is nearly one of ours, or has a wrong value.
  private func isCassette(before words: ArraySlice<String>) throws(UsageError) -> Bool {
    guard positional.isEmpty, let end = words.firstIndex(of: "--") else { return false }
    let options = Array(words[..<end])
    let names = verb.allOptions.flatMap { [$0.name] + $0.aliases }
    var (trial, index) = (self, 0)
    while index < options.count {
      let name = String(options[index].prefix { $0 != "=" })
      let isNear = name.hasPrefix("--") && name.nearest(among: names) != nil
      guard isNear || names.contains(name) else { return false }
      index += 1
      try trial.addOption(options[index - 1], allowed: verb.allOptions, options, &index)
    }
    return true
  }

  /// Takes the word of `tapedeck replay NAME` as that of `--cassette NAME`.
  private mutating func takeCassette() throws(UsageError) {
    guard let word = positional.first else { return }
    let mayBeOrigin = word.contains("://") && !RemoteCassettes.isMeant(by: word)
    if mayBeOrigin, verb.options.contains(where: { $0.name == Option.upstreams.name }) {
      throw UsageError(
        "\(word.debugDescription) has no option; write \(Option.upstreams.name) \(ShellWord.quoted(word)) if it is the origin"
      )
    }
    guard positional.count == 1 else {
      throw UsageError("too many arguments: \(positional[1].debugDescription)")
    }
    let name = Option.cassette.name
    if let given = self[.cassette], given != word {
      throw UsageError(
        "two cassettes are given, \(word.debugDescription) and \(name) \(given.debugDescription); leave one out"
      )
    }
    settings[name] = OptionSetting([word], from: .commandLine)
    positional = []
  }

  private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

  private mutating func addOption(
    _ word: String, allowed: [Option], _ words: [String], _ index: inout Int
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    guard let option = allowed.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
      let others = Verb.all.filter { $0.options.contains { $0.name == name } }.map(\.name)
      guard others.isEmpty else {
        throw UsageError(
          "\(verb.name) has no option \(name); it belongs to \(others.joined(separator: ", "))")
      }
      throw UsageError("unknown option \(name)\(name.suggestion(among: allowed.map(\.name)))")
    }
    guard settings[option.name] == nil || option.isRepeatable else {
      throw UsageError("\(option.name) is given twice")
    }
    let value = try Self.value(of: option, given: parts, words, &index)
    settings[option.name, default: OptionSetting([], from: .commandLine)].values.append(value)
  }

  private static func value(
    of option: Option, given parts: [String], _ words: [String], _ index: inout Int
  ) throws(UsageError) -> String {
    guard let valueName = option.value else {
      if parts.count == 1 {
        guard let word = option.optionalValue, index < words.count, words[index] == word else { return "" }
        index += 1
        return word
      }
      guard let word = option.optionalValue else { throw UsageError("\(option.name) takes no value") }
      guard parts[1] == word else {
        throw UsageError("\(option.name) takes no value but \(word), as \(option.name)=\(word)")
      }
      return word
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
  subscript(option: Option) -> String? { settings[option.name]?.values.last }
  /// Every value of a repeatable option, in order.
  func all(_ option: Option) -> [String] { settings[option.name]?.values ?? [] }
  /// Whether it is given, and not a switch that the environment turns off.
  func has(_ option: Option) -> Bool { settings[option.name].map { !$0.values.isEmpty } ?? false }
  /// Whether it stands on the command line. Elsewhere it may be meant for other verbs, and is no error.
  func isGiven(_ option: Option) -> Bool { settings[option.name]?.source == .commandLine }

  /// The option as it was given, for messages: `--port`, or `TAPEDECK_PORT`.
  func name(_ option: Option) -> String { settings[option.name]?.source.name(option) ?? option.name }

  /// A whole number; `nil` if the option is absent.
  func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number)
    else {
      throw UsageError(
        "\(name(option)) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription)"
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
        "\(name(option)) takes seconds from 0.001 to 86400, like 2.5, not \(text.debugDescription)")
    }
    return Int((seconds * 1000).rounded())
  }

  /// One of a few words; `nil` if the option is absent.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ type: Value.Type
  ) throws(UsageError) -> Value? {
    try self[option].map { text throws(UsageError) in try choice(option, text) }
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _ text: String
  ) throws(UsageError) -> Value {
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue)
      throw UsageError(
        "\(name(option)) takes \(known.joined(separator: ", ")), not \(text.debugDescription)"
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

  // MARK: Defaults

  /// Adds the values of options that are not given. A value is left out if an option that excludes it comes from a
  /// stronger source, so that `--port` wins over `TAPEDECK_LISTEN`.
  mutating func add(_ defaults: some OptionDefaults) throws(UsageError) {
    let stronger = settings
    for option in verb.allOptions where stronger[option.name] == nil {
      let isExcluded = Option.excluding(option).contains { stronger[$0].map { !$0.values.isEmpty } ?? false }
      if !isExcluded, let setting = try defaults.setting(of: option) { settings[option.name] = setting }
    }
  }

  /// What is in force, and where it came from, in the order of the help.
  var inForce: [(option: Option, setting: OptionSetting)] {
    verb.allOptions.filter { $0.name != Option.printConfig.name && $0.name != Option.help.name }.map {
      option in
      let isExcluded = Option.excluding(option).contains { settings[$0] != nil }
      let values = option.value == nil || isExcluded ? nil : option.defaultValue
      return (option, settings[option.name] ?? OptionSetting([values].compactMap(\.self), from: .default))
    }
  }
}
