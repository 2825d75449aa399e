/// A request as a curl command line, which asks for the same again.
public struct CurlCommand {
  /// How a body gets there.
  public enum Body: Equatable, Sendable {
    /// On the command line, as far as a shell can hold it.
    case inline
    /// From this file.
    case file(String)
  }

  private let request: HTTPRequest
  /// What stands before the target: scheme, authority and perhaps a path prefix.
  private let base: String
  private let body: Body
  private let isShown: (HTTPField) -> Bool

  /// - Parameters:
  ///   - base: scheme and authority, and a path prefix where there is one, without a final slash.
  ///   - isShown: which header fields are told; those that curl makes by itself never are.
  public init(
    _ request: HTTPRequest, base: String, body: Body = .inline,
    fields isShown: @escaping (HTTPField) -> Bool = { _ in true }
  ) {
    self.request = request
    self.base = base
    self.body = body
    self.isShown = isShown
  }

  /// One line, unless a body has several.
  public var text: String {
    let (input, data) = bodyWords
    return input + (["curl"] + methodWords + fieldWords + data + urlWords).joined(separator: " ")
  }

  private var hasBody: Bool { body != .inline || !request.body.isEmpty }

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
    // curl calls every body a form unless it is told otherwise.
    if hasBody, !request.fields.contains("content-type") { words += ["-H", "Content-Type:"] }
    return words
  }

  private static func isMadeByCurl(_ field: HTTPField) -> Bool {
    field.isNamed("host") || field.isNamed("content-length") || field.isNamed("expect")
  }

  /// What is fed into curl, and the words by which it takes it.
  private var bodyWords: (input: String, words: [String]) {
    switch body {
    case .file(let path): return ("", ["--data-binary", ShellWord.quoted("@\(path)")])
    case .inline where request.body.isEmpty: return ("", [])
    case .inline where ShellWord.canHold(request.body):
      return ("", ["--data-raw", ShellWord.quoted(request.body)])
    case .inline:
      return (
        "printf '%b' \(ShellWord.quoted(Self.printfEscaped(request.body))) | ", ["--data-binary", "@-"]
      )
    }
  }

  /// What `printf %b` turns into these bytes: NUL is a byte it can make.
  private static func printfEscaped(_ bytes: [UInt8]) -> String {
    var out = ""
    for byte in bytes {
      if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") {
        out += String(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 8)
        out += "\\0" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return out
  }

  private var urlWords: [String] {
    var words: [String] = []
    // curl reads brackets and braces as patterns, and takes dot segments out, unless it is told not to.
    if request.target.contains(where: { "[]{}".utf8.contains($0) }) { words.append("-g") }
    if request.targetText.contains("/.") { words.append("--path-as-is") }
    guard request.target != [UInt8(ascii: "*")] else {
      return words + ["--request-target", "'*'", ShellWord.quoted(base)]
    }
    // It also percent-encodes what is not ASCII in a path, though not in a query, and readers want a URL to be UTF-8.
    guard request.path.allSatisfy({ $0 < 0x80 }), UTF8Scan.isValid(request.target[...]) else {
      let prefix = base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3)
        .first
      let target = Array((prefix.map { "/\($0)" } ?? "").utf8) + request.target
      return words + ["--request-target", ShellWord.quoted(target), ShellWord.quoted(base)]
    }
    return words + [ShellWord.quoted(Array(base.utf8) + request.target)]
  }
}
