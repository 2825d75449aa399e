import Foundation
import Testing

// Each concept has one word. The words that these replaced are refused in everything under `Sources`: names, comments,
// messages, the texts of `tapedeck help`, articles, and the names of files.

/// The retired words, and what to say instead.
private let retired = [
  "answer":
    "response (what the server said), interaction (what was recorded), or the verbs respond and serve",
  "answering": "responding, serving",
  "answers": "responses, interactions, or the verbs respond and serve",
  "asking": "exchange, request",
  "deck": "cassette, proxy",
  "decks": "cassettes, proxies",
  "departed": "request sent",
  "glance": "fast path, quick check",
  "hole": "parameter (of a path), placeholder (of a secret), miss (of a recording)",
  "holes": "parameters, placeholders, misses",
  "lean": "cache, snapshot",
  "tape": "cassette",
  "tapes": "cassettes",
  "tending": "maintenance",
  "unfamiliar": "non-canonical",
]

/// Refused as a noun: behind one of these words, or at the end of a name of several words.
private let nouns: [String: Set<String>] = [
  "look": [
    "a", "an", "another", "any", "each", "every", "first", "its", "no", "of", "one", "second", "the", "this",
  ],
  "looks": ["its", "of", "the", "these", "two"],
]

/// What may stay, and why: files and scripts of users have these words.
private let contracts = [
  "Tapedeck-Answer": "the header field of `--explain`",
  "\"answer\"": "a member of Okta's recovery question",
  "security answer": "its name elsewhere",
  "recovery answer": "the same",
  "challenge answer": "the same",
  "\"answers\"": "a member of resources in overrides files",
  "`answers`": "the same member, in the articles",
  "--tapes-dir": "the name of `--cassette` in another tool, an accepted spelling",
]

/// `journal` means the log that survives a crash of a recording. Where a running proxy is steered, its old meaning, the
/// request log, may only stand in the spellings that are still accepted.
private let steering = ["TapedeckAdmin/", "TapedeckCLI/Proxy/ControlVerb"]
private let acceptedJournals = [
  "\"journal\"": "`tapedeck ctl journal`, and a member of `POST /v1/reset`",
  "\"/journal": "`/v1/journal`",
  "/v1/journal": "the same in full",
  "ctl journal": "in help",
  "reset journal": "in help",
  "--journal": "the old name of the option that bounds the request log",
]

private let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Sources")

/// The words of a text, with those that camel case joins apart: `JSONGlance2` is `json` and `glance`.
private func words(in text: some StringProtocol) -> [(word: String, endsName: Bool)] {
  let bytes = Array(text.utf8)
  var words: [(word: String, endsName: Bool)] = []
  var start = 0
  var isInName = false
  func isUpper(_ index: Int) -> Bool { bytes.indices.contains(index) && (65...90).contains(bytes[index]) }
  func isLower(_ index: Int) -> Bool { bytes.indices.contains(index) && (97...122).contains(bytes[index]) }
  for index in 0...bytes.count {
    let isLetter = isUpper(index) || isLower(index)
    let isHump = isUpper(index) && (isLower(index - 1) || (isUpper(index - 1) && isLower(index + 1)))
    guard !isLetter || isHump else { continue }
    if start < index {
      let word = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
      words.append((word, isInName && !isLetter))
    }
    isInName = isLetter && start < index
    start = isLetter ? index : index + 1
  }
  return words
}

/// The retired words in a line, each with what to say instead.
private func findings(in line: some StringProtocol, isSteering: Bool) -> [String] {
  var text = String(line)
  let allowed = Array(contracts.keys) + (isSteering ? Array(acceptedJournals.keys) : [])
  for each in allowed where text.contains(each) { text = text.replacingOccurrences(of: each, with: "") }
  var before = ""
  return words(in: text).compactMap { word, endsName in
    defer { before = word }
    if let better = retired[word] { return "\(word): say \(better)" }
    if let determiners = nouns[word], endsName || determiners.contains(before) { return "\(word): no noun" }
    return isSteering && word == "journal" ? "journal: say request log" : nil
  }
}

@Test func `no retired word is in Sources`() throws {
  let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
  let read: Set = ["swift", "md", "h", "c", "html", "js", "css"]
  var found: [(place: String, what: String)] = []
  var count = 0
  for case let file as URL in files ?? FileManager.DirectoryEnumerator()
  where read.contains(file.pathExtension) {
    count += 1
    let path = String(file.path.dropFirst(sources.path.count + 1))
    let isSteering = steering.contains { path.hasPrefix($0) }
    found += findings(in: path, isSteering: false).map { (path, $0) }
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      found += findings(in: line, isSteering: isSteering).map {
        ("\(path):\(number + 1)", "\($0) — \(line.trimmingCharacters(in: .whitespaces))")
      }
    }
  }
  #expect(count > 100, "the walk over Sources found too little to mean anything")
  let list = found.sorted { $0.place < $1.place }.map { "\($0.place): \($0.what)" }.joined(separator: "\n")
  #expect(found.isEmpty, "\(found.count) retired words:\n\(list)")
}

@Test func `a retired word is found in prose and in names, and a contract is not`() {
  let refused = [
    "// The answer goes out.", "let cachedAnswers = 1", "struct JSONGlance {", "case pathHole(Int)",
    "// A look at the bytes", "struct ResourceLook {", "enum Tape {",
  ]
  for line in refused { #expect(findings(in: line, isSteering: false).count == 1, "\(line)") }
  let fine = [
    "import TapedeckHTTP", "tapedeck replay", "// Looks after cassettes.", "if looksLike(word) {",
    "/// Whether this looks like a date.",
    "lookUp(name)",
    "\"answers\": {}", "the journal of a recording", "`Tapedeck-Answer`", "wholesale", "\"--tapes-dir\"",
  ]
  for line in fine { #expect(findings(in: line, isSteering: false).isEmpty, "\(line)") }
  #expect(findings(in: "the journal of requests", isSteering: true).count == 1)
  #expect(findings(in: "case \"journal\": try requests()", isSteering: true).isEmpty)
}
