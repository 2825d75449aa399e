/// A curl command line that repeats a request.
package struct CurlCommand {
  private let request: HTTPRequest
  private let base: String
  private let bodyFile: String?
  private let isShown: (HTTPField) -> Bool

  /// - Parameters:
  /// - base: scheme, authority and an optional path prefix, without a final slash.
  /// - bodyFile: the file with the body; without one the body is on the command line.
  /// - isShown: selects the header fields to write; those that curl adds itself are never written.
  package init(
    _ request: HTTPRequest, base: String, bodyFile: String? = nil,
    fields isShown: @escaping (HTTPField) -> Bool = { _ in true }
  ) {
    self.request = request
    self.base = base
    self.bodyFile = bodyFile
    self.isShown = isShown
  }

  package var text: String {
    let (input, data) = bodyWords
    return input + (["curl"] + methodWords + fieldWords + data + urlWords).joined(separator: " ")
  }

  private var hasBody: Bool { bodyFile != nil || !request.body.isEmpty }

  private var methodWords: [String] {
    if request.method == .head { return ["--head"] }
    if request.method == .get, !hasBody { return [] }
    return ["-X", ShellWord.quoted(request.method.rawValue)]
  }

  private var fieldWords: [String] {
    var words = request.fields.filter { isShown($0) && !Self.isMadeByCurl($0) }.flatMap { field in
      // In curl's syntax a field without a value ends in a semicolon.
      let line = field.value.isEmpty ? field.name + ";".utf8 : field.name + ": ".utf8 + field.value
      return ["-H", ShellWord.quoted(line)]
    }
    // curl declares every body a form by default.
    if hasBody, !request.fields.contains("content-type") { words += ["-H", "Content-Type:"] }
    return words
  }

  private static func isMadeByCurl(_ field: HTTPField) -> Bool {
    field.isNamed("host") || field.isNamed("content-length") || field.isNamed("expect")
  }

  /// The command that pipes the body into curl, if any, and curl's words to read it.
  private var bodyWords: (input: String, words: [String]) {
    if let bodyFile { return ("", ["--data-binary", ShellWord.quoted("@\(bodyFile)")]) }
    if request.body.isEmpty { return ("", []) }
    // An argument ends at its first NUL.
    guard request.body.contains(0) else { return ("", ["--data-raw", ShellWord.quoted(request.body)]) }
    let escaped = request.body.map { byte in
      // `printf %b` writes any byte, including NUL.
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\\")
        ? String(Unicode.Scalar(byte)) : "\\0" + ShellWord.octal(byte)
    }
    return ("printf '%b' \(ShellWord.quoted(escaped.joined())) | ", ["--data-binary", "@-"])
  }

  private var urlWords: [String] {
    var words: [String] = []
    // By default curl expands brackets and braces, and removes dot segments.
    if request.target.contains(where: { "[]{}".utf8.contains($0) }) { words.append("-g") }
    if request.targetText.contains("/.") { words.append("--path-as-is") }
    guard request.target != [UInt8(ascii: "*")] else {
      return words + ["--request-target", "'*'", ShellWord.quoted(base)]
    }
    // It also percent-encodes non-ASCII bytes in a path, but not in a query; terminals need UTF-8.
    guard request.path.allSatisfy({ $0 < 0x80 }), UTF8Scan.isValid(request.target[...]) else {
      let prefix = base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3)
      let target = Array(prefix.map { "/\($0)" }.joined().utf8) + request.target
      return words + ["--request-target", ShellWord.quoted(target), ShellWord.quoted(base)]
    }
    return words + [ShellWord.quoted(Array(base.utf8) + request.target)]
  }
}
