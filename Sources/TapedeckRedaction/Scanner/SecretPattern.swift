/// What a kind of secret looks like: literal text and classes of characters with counts, matched without ever going
/// back. `%w` is a letter or digit, `%-` one of these or `_` or `-`, `%x` a small hexadecimal digit, `%U` a capital or
/// digit, `%b` a character of base64; `{20}` or `{20,}` says how many.
struct SecretPattern: Sendable {
  private enum Step {
    case literal([UInt8])
    case run(UInt8, least: Int, most: Int)
  }

  let looksLike: String
  private let steps: [Step]

  init(_ text: String, _ looksLike: String) {
    self.looksLike = looksLike
    var steps: [Step] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let literal = rest.prefix { $0 != UInt8(ascii: "%") }
      if !literal.isEmpty { steps.append(.literal(Array(literal))) }
      rest = rest[literal.endIndex...].dropFirst()
      guard let kind = rest.popFirst() else { break }
      rest = rest.dropFirst()
      let counts = rest.prefix { $0 != UInt8(ascii: "}") }
      rest = rest[counts.endIndex...].dropFirst()
      let numbers = String(decoding: counts, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
      let isOpen = counts.last == UInt8(ascii: ",")
      steps.append(.run(kind, least: numbers.first ?? 1, most: isOpen ? 1000 : numbers.last ?? 1))
    }
    self.steps = steps
  }

  /// Whether it is only the first line of what is secret.
  var isOpening: Bool { beginning.first == UInt8(ascii: "-") }

  /// What every match begins with.
  var beginning: [UInt8] {
    if case .literal(let literal)? = steps.first { literal } else { [] }
  }

  /// Where the match that begins at `start` ends.
  func end(in text: ArraySlice<UInt8>, at start: Int) -> Int? {
    var index = start
    for step in steps {
      switch step {
      case .literal(let literal):
        guard text[index...].starts(with: literal) else { return nil }
        index += literal.count
      case .run(let kind, let least, let most):
        let run = text[index...].prefix(most + 1).prefix { Self.contains($0, kind) }
        guard run.count >= least, run.count <= most || most == 1000 else { return nil }
        index = run.endIndex
      }
    }
    return index
  }

  private static func contains(_ byte: UInt8, _ kind: UInt8) -> Bool {
    let isDigit = byte &- 0x30 < 10
    switch kind {
    case UInt8(ascii: "w"): return isDigit || (byte | 0x20) &- 0x61 < 26
    case UInt8(ascii: "-"): return isDigit || (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte == 0x2D
    case UInt8(ascii: "x"): return isDigit || byte &- 0x61 < 6
    case UInt8(ascii: "U"): return isDigit || byte &- 0x41 < 26
    default: return isDigit || (byte | 0x20) &- 0x61 < 26 || "+/=_-".utf8.contains(byte)
    }
  }
}

extension SecretPattern {
  /// Gathered from providers' documentation and from what public scanners look for. Kept apart from `TokenShapes` on
  /// purpose: what one of the two tables has wrong, the other may have right.
  static let all = [
    SecretPattern("ghp_%w{36}", "a GitHub token"), SecretPattern("gho_%w{36}", "a GitHub token"),
    SecretPattern("ghu_%w{36}", "a GitHub token"), SecretPattern("ghs_%w{36}", "a GitHub token"),
    SecretPattern("ghr_%w{36}", "a GitHub token"), SecretPattern("github_pat_%-{60,}", "a GitHub token"),
    SecretPattern("glpat-%-{20,}", "a GitLab token"), SecretPattern("glptt-%-{20,}", "a GitLab token"),
    SecretPattern("gldt-%-{20,}", "a GitLab token"), SecretPattern("glrt-%-{20,}", "a GitLab token"),
    SecretPattern("AKIA%U{16}", "an AWS access key"), SecretPattern("ASIA%U{16}", "an AWS access key"),
    SecretPattern("AIza%-{35}", "a Google API key"), SecretPattern("ya29.%-{20,}", "a Google token"),
    SecretPattern("GOCSPX-%-{28}", "a Google client secret"),
    SecretPattern("sk-ant-%-{30,}", "an Anthropic key"), SecretPattern("sk-proj-%-{30,}", "an OpenAI key"),
    SecretPattern("sk-%w{32,}", "an OpenAI key"), SecretPattern("sk_live_%w{16,}", "a Stripe key"),
    SecretPattern("sk_test_%w{16,}", "a Stripe key"), SecretPattern("rk_live_%w{16,}", "a Stripe key"),
    SecretPattern("rk_test_%w{16,}", "a Stripe key"), SecretPattern("whsec_%b{24,}", "a webhook secret"),
    SecretPattern("xoxb-%-{20,}", "a Slack token"), SecretPattern("xoxp-%-{20,}", "a Slack token"),
    SecretPattern("xoxa-%-{20,}", "a Slack token"), SecretPattern("xoxr-%-{20,}", "a Slack token"),
    SecretPattern("xoxs-%-{20,}", "a Slack token"), SecretPattern("xapp-%-{20,}", "a Slack token"),
    SecretPattern("SG.%-{20,}.%-{20,}", "a SendGrid key"), SecretPattern("npm_%w{36}", "an npm token"),
    SecretPattern("pypi-%-{50,}", "a PyPI token"), SecretPattern("dckr_pat_%-{20,}", "a Docker token"),
    SecretPattern("hf_%w{34}", "a Hugging Face token"), SecretPattern("shpat_%x{32}", "a Shopify token"),
    SecretPattern("shpss_%x{32}", "a Shopify secret"), SecretPattern("shpca_%x{32}", "a Shopify token"),
    SecretPattern("dop_v1_%x{64}", "a DigitalOcean token"), SecretPattern("hvs.%-{24,}", "a Vault token"),
    SecretPattern("lin_api_%w{40}", "a Linear key"), SecretPattern("glsa_%w{32}_%x{8}", "a Grafana token"),
    SecretPattern("NRAK-%U{27}", "a New Relic key"), SecretPattern("PMAK-%x{24}-%x{34}", "a Postman key"),
    SecretPattern("sq0atp-%-{22}", "a Square token"), SecretPattern("sq0csp-%-{43}", "a Square secret"),
    SecretPattern("dapi%x{32}", "a Databricks token"), SecretPattern("key-%x{32}", "a Mailgun key"),
    SecretPattern("SK%x{32}", "a Twilio key"), SecretPattern("gsk_%w{52}", "a Groq key"),
    SecretPattern("ATATT3%b{150,}", "an Atlassian token"),
    SecretPattern("AGE-SECRET-KEY-1%U{58}", "an age key"),
    SecretPattern("rubygems_%x{48}", "a RubyGems key"), SecretPattern("sntryu_%x{64}", "a Sentry token"),
    SecretPattern("tskey-%-{20,}", "a Tailscale key"), SecretPattern("xkeysib-%x{64}-%w{16}", "a Brevo key"),
    SecretPattern("eyJ%-{10,}.eyJ%-{6,}.%-{10,}", "a JSON Web Token"),
    SecretPattern("eyJ%-{10,}.%-{0,}.%-{10,}.%-{10,}.%-{10,}", "an encrypted JSON Web Token"),
    SecretPattern("-----BEGIN PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN RSA PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN EC PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN DSA PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN ENCRYPTED PRIVATE KEY-----", "a private key"),
    SecretPattern("-----BEGIN PGP PRIVATE KEY BLOCK-----", "a private key"),
  ]
}
