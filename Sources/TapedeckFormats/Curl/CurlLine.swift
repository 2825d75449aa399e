import TapedeckHTTP

/// One curl command, as its options come. Those that say how to ask are dropped; those that say what to ask with a file
/// or in a way that is not understood refuse the command.
struct CurlLine {
  private enum Body {
    case data([UInt8])
    case part(name: [UInt8], value: [UInt8])
  }

  private static let boundary = "------------------------tapedeck"

  private var urls: [String] = []
  private var method: String?
  private var fields: [(name: [UInt8], value: [UInt8]?)] = []
  private var bodies: [Body] = []
  private var isJSON = false
  private var isGet = false
  private var isHead = false
  private var globs = true
  /// What is asked for instead of the URL's path and query.
  private var target: [UInt8]?
  private(set) var remarks: [String] = []

  mutating func read(_ command: ShellWords.Command) throws(EntryRefusal) {
    if let problem = command.problem { throw EntryRefusal("\(problem); left out") }
    var words = command.words[...]
    guard words.popFirst().map({ Self.isCurl($0) }) == true else {
      throw EntryRefusal("this is no curl command; left out")
    }
    while let word = words.popFirst() {
      let text = String(decoding: word, as: UTF8.self)
      if text == "-" || !text.hasPrefix("-") {
        try addURL(word)
      } else if text.hasPrefix("--") {
        try readLong(text, &words)
      } else {
        try readShort(word.dropFirst(), &words)
      }
    }
  }

  private static func isCurl(_ word: [UInt8]) -> Bool {
    let name = word.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
    return name == "curl" || name == "curl.exe"
  }

  private mutating func readLong(_ text: String, _ words: inout ArraySlice<[UInt8]>) throws(EntryRefusal) {
    if CurlOption.dropped.contains(text) { return }
    if CurlOption.droppedWithValue.contains(text) {
      _ = words.popFirst()
      return
    }
    guard let option = CurlOption(rawValue: text) else {
      throw EntryRefusal("the option \(text.prefix(40)) is not known here; left out")
    }
    try apply(option, &words)
  }

  /// Letters one behind the other, the last of them perhaps with its value: `-sSXPOST`.
  private mutating func readShort(_ letters: ArraySlice<UInt8>, _ words: inout ArraySlice<[UInt8]>)
    throws(EntryRefusal)
  {
    var letters = letters
    while let letter = letters.popFirst() {
      let name = "-\(Character(UnicodeScalar(letter)))"
      if CurlOption.droppedLetters.contains(name) { continue }
      let takesValue =
        CurlOption.droppedLettersWithValue.contains(name) || CurlOption.letters[name]?.takesValue == true
      if takesValue, !letters.isEmpty {
        words = [Array(letters)] + words
        letters = []
      }
      if CurlOption.droppedLettersWithValue.contains(name) {
        _ = words.popFirst()
      } else if let option = CurlOption.letters[name] {
        try apply(option, &words)
      } else {
        throw EntryRefusal("the option \(name) is not known here; left out")
      }
    }
  }

  // MARK: Options

  private mutating func apply(_ option: CurlOption, _ words: inout ArraySlice<[UInt8]>) throws(EntryRefusal) {
    var value: [UInt8] = []
    if option.takesValue {
      guard let word = words.popFirst() else {
        throw EntryRefusal("\(option.rawValue) lacks its value; left out")
      }
      value = word
    }
    switch option {
    case .request: method = String(decoding: value, as: UTF8.self)
    case .url: try addURL(value)
    case .requestTarget: target = value
    case .header: try addField(value)
    case .data, .dataASCII, .dataBinary: bodies.append(.data(try inline(value)))
    case .dataRaw: bodies.append(.data(value))
    case .dataURLEncode: bodies.append(.data(try urlEncoded(value)))
    case .json:
      isJSON = true
      bodies.append(.data(try inline(value)))
    case .form, .formString: try addPart(value, isLiteral: option == .formString)
    case .user: fields.append((Array("Authorization".utf8), Array("Basic \(Base64.encode(value))".utf8)))
    case .cookie:
      guard value.contains(UInt8(ascii: "=")) else {
        throw EntryRefusal("cookies from a file are not read; left out")
      }
      fields.append((Array("Cookie".utf8), value))
    case .userAgent: fields.append((Array("User-Agent".utf8), value))
    case .referer: fields.append((Array("Referer".utf8), value))
    case .head: isHead = true
    case .get: isGet = true
    case .globOff: globs = false
    case .location: remarks.append("-L: a redirect is recorded as the answer it is, not followed")
    case .insecure: remarks.append("-k counts for nothing here; --insecure does the same")
    }
  }

  private mutating func addURL(_ word: [UInt8]) throws(EntryRefusal) {
    guard let url = String(validating: word, as: UTF8.self) else {
      throw EntryRefusal("its URL is not UTF-8; left out")
    }
    urls.append(url)
  }

  /// A value that is the data itself, not the name of a file.
  private func inline(_ value: [UInt8]) throws(EntryRefusal) -> [UInt8] {
    guard value.first != UInt8(ascii: "@") else {
      throw EntryRefusal("a body from a file is not read; left out")
    }
    return value
  }

  private mutating func addField(_ line: [UInt8]) throws(EntryRefusal) {
    guard line.first != UInt8(ascii: "@") else {
      throw EntryRefusal("headers from a file are not read; left out")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      // In curl's syntax a field without a value ends in a semicolon.
      if line.last == UInt8(ascii: ";") { fields.append((Array(line.dropLast()), [])) }
      return
    }
    let value = line[(colon + 1)...].drop(while: ASCII.isBlank)
    fields.append((Array(line[..<colon]), value.isEmpty ? nil : Array(value)))
  }

  /// `content`, `=content`, `name=content`: the content encoded.
  private func urlEncoded(_ value: [UInt8]) throws(EntryRefusal) -> [UInt8] {
    let equals = value.firstIndex(of: UInt8(ascii: "="))
    guard !value[..<(equals ?? value.endIndex)].contains(UInt8(ascii: "@")) else {
      throw EntryRefusal("a body from a file is not read; left out")
    }
    guard let equals else { return Self.percentEncoded(value[...]) }
    return value[..<equals] + (equals == value.startIndex ? [] : [UInt8(ascii: "=")])
      + Self.percentEncoded(value[(equals + 1)...])
  }

  private static func percentEncoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.flatMap { byte in
      ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "-._~".utf8.contains(byte)
        ? [byte] : PercentCoding.encoded(byte)
    }
  }

  private mutating func addPart(_ value: [UInt8], isLiteral: Bool) throws(EntryRefusal) {
    guard let equals = value.firstIndex(of: UInt8(ascii: "=")) else {
      throw EntryRefusal("a part of a form lacks its =; left out")
    }
    let content = value[(equals + 1)...]
    if !isLiteral, let first = content.first, "@<".utf8.contains(first) || content.contains(UInt8(ascii: ";"))
    {
      throw EntryRefusal("a part of a form is from a file, or says more than its value; left out")
    }
    bodies.append(.part(name: Array(value[..<equals]), value: Array(content)))
  }

  // MARK: Requests

  /// A request for each URL.
  func requests() throws(EntryRefusal) -> [(origin: String, request: HTTPRequest)] {
    guard !urls.isEmpty else { throw EntryRefusal("it names no URL; left out") }
    var requests: [(origin: String, request: HTTPRequest)] = []
    for url in urls { requests.append(try request(url)) }
    return requests
  }

  private func request(_ url: String) throws(EntryRefusal) -> (origin: String, request: HTTPRequest) {
    if globs, url.contains(where: { "{}[]".contains($0) }), !url.contains("://[") {
      throw EntryRefusal("curl reads brackets in a URL as a pattern; left out")
    }
    let source = try SourceURL(url.contains("://") ? url : "http://\(url)", keepsQuery: true)
    guard !source.origin.isEmpty else { throw EntryRefusal("its URL names no host; left out") }
    guard !source.hadUserInformation else {
      throw EntryRefusal("user information in a URL is not sent; give it with -u; left out")
    }
    let (body, type) = try body()
    let name = target == nil ? "target" : "--request-target"
    var target = target ?? source.target
    guard target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")],
      target.allSatisfy(RequestTarget.isAllowed)
    else { throw EntryRefusal("its \(name) is malformed; left out") }
    if isGet, !body.isEmpty {
      target += [target.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")] + body
    }
    let sent = isGet ? [] : body
    let method = method ?? (isHead ? "HEAD" : bodies.isEmpty || isGet ? "GET" : "POST")
    guard HTTPMethod.isValid(method), method != "CONNECT" else {
      throw EntryRefusal("its method is malformed; left out")
    }
    let fields = try completeFields(source.authority, type: isGet ? nil : type)
    return (
      source.origin,
      HTTPRequest(
        method: HTTPMethod(rawValue: method),
        target: self.target ?? SourceURL.encoded(target[...], keepsQuery: true),
        fields: fields,
        body: sent,
        authority: Array(source.authority.utf8))
    )
  }

  private func body() throws(EntryRefusal) -> (bytes: [UInt8], type: String?) {
    guard !bodies.isEmpty else { return ([], nil) }
    var data: [[UInt8]] = []
    var parts: [(name: [UInt8], value: [UInt8])] = []
    for body in bodies {
      switch body {
      case .data(let bytes): data.append(bytes)
      case .part(let name, let value): parts.append((name, value))
      }
    }
    guard parts.isEmpty || data.isEmpty else { throw EntryRefusal("it has both -d and -F; left out") }
    if isJSON { return (Array(data.joined()), "application/json") }
    guard parts.isEmpty else {
      return (Self.multipart(parts), "multipart/form-data; boundary=\(Self.boundary)")
    }
    return (Array(data.joined(separator: [UInt8(ascii: "&")])), "application/x-www-form-urlencoded")
  }

  private static func multipart(_ parts: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
    var out: [UInt8] = []
    for part in parts {
      out += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8) + part.name
      out += Array("\"\r\n\r\n".utf8) + part.value + Array("\r\n".utf8)
    }
    return out + Array("--\(boundary)--\r\n".utf8)
  }

  /// The fields curl would send: its own, those of its options, and those given, which replace and remove.
  private func completeFields(_ authority: String, type: String?) throws(EntryRefusal) -> HTTPFields {
    var usual: [(name: String, value: String)] = [
      ("Host", authority), ("User-Agent", "tapedeck"), ("Accept", "*/*"),
    ]
    if isJSON { usual[2].value = "application/json" }
    if let type { usual.append(("Content-Type", type)) }
    let given = Set(fields.map { $0.name.map(ASCII.lowercased) })
    var complete = HTTPFields()
    do throws(HTTPFieldError) {
      for (name, value) in usual where !given.contains(name.utf8.map(ASCII.lowercased)) {
        try complete.append(name, value)
      }
      for (name, value) in fields {
        if let value, !name.elementsEqual("host".utf8) { try complete.append(name: name, value: value) }
      }
    } catch {
      throw EntryRefusal("a header cannot be sent: \(error); left out")
    }
    return complete
  }
}
