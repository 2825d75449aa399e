/// Options of curl: those that make a request, and those that only say how it is made or shown.
enum CurlOption: String {
  case request = "--request"
  case url = "--url"
  case requestTarget = "--request-target"
  case header = "--header"
  case data = "--data"
  case dataASCII = "--data-ascii"
  case dataBinary = "--data-binary"
  case dataRaw = "--data-raw"
  case dataURLEncode = "--data-urlencode"
  case json = "--json"
  case form = "--form"
  case formString = "--form-string"
  case user = "--user"
  case cookie = "--cookie"
  case userAgent = "--user-agent"
  case referer = "--referer"
  case head = "--head"
  case get = "--get"
  case globOff = "--globoff"
  case location = "--location"
  case insecure = "--insecure"

  var takesValue: Bool {
    switch self {
    case .head, .get, .globOff, .location, .insecure: false
    default: true
    }
  }

  static let letters: [String: CurlOption] = [
    "-X": .request, "-H": .header, "-d": .data, "-F": .form, "-u": .user, "-b": .cookie, "-A": .userAgent,
    "-e": .referer, "-I": .head, "-G": .get, "-g": .globOff, "-L": .location, "-k": .insecure,
  ]

  static let dropped: Set<String> = [
    "--silent", "--show-error", "--verbose", "--include", "--fail", "--fail-with-body", "--compressed",
    "--http1.1",
    "--http2", "--http1.0", "--no-buffer", "--progress-bar", "--ipv4", "--ipv6", "--path-as-is",
    "--globoff=false",
    "--no-progress-meter", "--remote-name", "--create-dirs",
  ]

  static let droppedWithValue: Set<String> = [
    "--output", "--write-out", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--noproxy",
    "--dump-header", "--cookie-jar", "--max-redirs", "--trace", "--trace-ascii", "--stderr",
  ]

  static let droppedLetters: Set<String> = ["-s", "-S", "-v", "-i", "-f", "-N", "-#", "-4", "-6", "-O", "-0"]
  static let droppedLettersWithValue: Set<String> = ["-o", "-w", "-m", "-D", "-c"]
}
