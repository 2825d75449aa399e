internal import TapedeckHTTP

/// Secrets that are known by their looks, wherever they stand: provider-prefixed keys, JSON Web Tokens, private keys in
/// PEM. Each shape says exactly what may follow its prefix, so that ordinary words do not look like one.
enum TokenShapes {
  struct Found {
    /// Behind what of it is no secret: the address of a web hook.
    var start: Int
    var end: Int
    var kind: String
  }

  private struct Shape {
    enum Alphabet { case alphanumeric, word, upper, hex, base64, dotted, token }

    var prefix: [UInt8]
    var alphabet: Alphabet
    var lengths: ClosedRange<Int>
    var kind: String
    /// Whether the prefix stays, being no part of the secret.
    var keepsPrefix: Bool

    init(
      _ prefix: String, _ alphabet: Alphabet, _ lengths: ClosedRange<Int>, _ kind: String,
      keepsPrefix: Bool = false
    ) {
      self.prefix = Array(prefix.utf8)
      self.alphabet = alphabet
      self.lengths = lengths
      self.kind = kind
      self.keepsPrefix = keepsPrefix
    }

    func contains(_ byte: UInt8) -> Bool {
      switch alphabet {
      case .alphanumeric: ASCII.isAlphanumeric(byte)
      case .word: ASCII.isWord(byte)
      case .upper: byte &- 0x41 < 26 || ASCII.isDigit(byte)
      case .hex: ASCII.isDigit(byte) || (0x61...0x66).contains(byte)
      case .base64: ASCII.isAlphanumeric(byte) || "+/=".utf8.contains(byte)
      case .dotted: ASCII.isWord(byte) || byte == UInt8(ascii: ".")
      case .token: ASCII.isWord(byte) || "+/=".utf8.contains(byte)
      }
    }
  }

  /// What providers' documentation says about their tokens, and public rule sets of secret scanners about those whose
  /// documentation says nothing.
  private static let shapes: [Shape] = [
    Shape("ghp_", .alphanumeric, 30...255, "github"), Shape("gho_", .alphanumeric, 30...255, "github"),
    Shape("ghu_", .alphanumeric, 30...255, "github"), Shape("ghs_", .alphanumeric, 30...255, "github"),
    Shape("ghr_", .alphanumeric, 30...255, "github"), Shape("github_pat_", .word, 50...255, "github"),
    Shape("glpat-", .dotted, 20...300, "gitlab"), Shape("gloas-", .word, 40...128, "gitlab"),
    Shape("gldt-", .word, 20...64, "gitlab"), Shape("glrt-", .dotted, 20...300, "gitlab"),
    Shape("glptt-", .word, 20...64, "gitlab"), Shape("glcbt-", .word, 20...64, "gitlab"),
    Shape("glsoat-", .word, 20...64, "gitlab"), Shape("glimt-", .word, 20...64, "gitlab"),
    Shape("glagent-", .word, 40...64, "gitlab"), Shape("GR1348941", .word, 20...64, "gitlab"),
    Shape("AKIA", .upper, 16...16, "aws"), Shape("ASIA", .upper, 16...16, "aws"),
    Shape("ABIA", .upper, 16...16, "aws"),
    Shape("ACCA", .upper, 16...16, "aws"), Shape("ABSK", .base64, 100...300, "aws"),
    Shape("AIza", .word, 35...35, "google"), Shape("GOCSPX-", .word, 28...28, "google"),
    Shape("ya29.", .dotted, 20...1200, "google"),
    Shape("sk-ant-", .word, 20...255, "anthropic"), Shape("sk-proj-", .word, 20...255, "openai"),
    Shape("sk-svcacct-", .word, 20...255, "openai"), Shape("sk-admin-", .word, 20...255, "openai"),
    Shape("sk-or-v1-", .hex, 64...64, "openrouter"), Shape("sk-", .alphanumeric, 20...128, "openai"),
    Shape("sk_live_", .alphanumeric, 10...255, "stripe"),
    Shape("sk_test_", .alphanumeric, 10...255, "stripe"),
    Shape("rk_live_", .alphanumeric, 10...255, "stripe"),
    Shape("rk_test_", .alphanumeric, 10...255, "stripe"),
    Shape("whsec_", .base64, 20...255, "stripe"), Shape("sk_", .hex, 32...128, "key"),
    Shape("xoxb-", .word, 20...255, "slack"), Shape("xoxa-", .word, 20...255, "slack"),
    Shape("xoxp-", .word, 20...255, "slack"), Shape("xoxr-", .word, 20...255, "slack"),
    Shape("xoxs-", .word, 20...255, "slack"), Shape("xoxo-", .word, 20...255, "slack"),
    Shape("xoxc-", .word, 20...255, "slack"), Shape("xoxd-", .word, 20...255, "slack"),
    Shape("xoxe-", .word, 20...255, "slack"), Shape("xoxe.xoxb-", .word, 20...255, "slack"),
    Shape("xoxe.xoxp-", .word, 20...255, "slack"), Shape("xapp-", .word, 20...255, "slack"),
    Shape("SG.", .dotted, 60...80, "sendgrid"), Shape("xkeysib-", .word, 70...100, "brevo"),
    Shape("npm_", .alphanumeric, 36...36, "npm"), Shape("pypi-", .word, 50...300, "pypi"),
    Shape("rubygems_", .hex, 48...48, "rubygems"), Shape("cio", .alphanumeric, 32...32, "cratesio"),
    Shape("dckr_pat_", .word, 20...64, "docker"), Shape("dckr_oat_", .word, 20...64, "docker"),
    Shape("hf_", .alphanumeric, 30...64, "huggingface"),
    Shape("api_org_", .alphanumeric, 30...64, "huggingface"),
    Shape("shpat_", .alphanumeric, 32...64, "shopify"), Shape("shpca_", .alphanumeric, 32...64, "shopify"),
    Shape("shppa_", .alphanumeric, 32...64, "shopify"), Shape("shpss_", .alphanumeric, 32...64, "shopify"),
    Shape("EAAA", .word, 56...80, "square"), Shape("sq0atp-", .word, 22...64, "square"),
    Shape("sq0csp-", .word, 40...64, "square"), Shape("EAAC", .alphanumeric, 80...300, "facebook"),
    Shape("dop_v1_", .hex, 64...64, "digitalocean"), Shape("doo_v1_", .hex, 64...64, "digitalocean"),
    Shape("dor_v1_", .hex, 64...64, "digitalocean"), Shape("hvs.", .word, 20...300, "vault"),
    Shape("hvb.", .word, 100...400, "vault"), Shape("hvr.", .word, 20...300, "vault"),
    Shape("lin_api_", .alphanumeric, 40...40, "linear"), Shape("ntn_", .alphanumeric, 40...64, "notion"),
    Shape("secret_", .alphanumeric, 43...43, "notion"), Shape("figd_", .word, 40...64, "figma"),
    Shape("PMAK-", .word, 59...59, "postman"), Shape("ATATT3", .token, 100...300, "atlassian"),
    Shape("ATCTT3", .token, 100...300, "atlassian"), Shape("dapi", .hex, 32...34, "databricks"),
    Shape("glsa_", .word, 41...64, "grafana"), Shape("glc_", .base64, 32...400, "grafana"),
    Shape("sntrys_", .token, 60...400, "sentry"), Shape("sntryu_", .hex, 64...64, "sentry"),
    Shape("NRAK-", .alphanumeric, 27...27, "newrelic"), Shape("NRJS-", .hex, 19...19, "newrelic"),
    Shape("NRII-", .word, 32...32, "newrelic"), Shape("pul-", .hex, 40...40, "pulumi"),
    Shape("sbp_", .hex, 40...40, "supabase"), Shape("sb_secret_", .word, 20...64, "supabase"),
    Shape("tfp_", .word, 40...64, "typeform"), Shape("ops_ey", .token, 200...1200, "onepassword"),
    Shape("AGE-SECRET-KEY-1", .upper, 58...58, "age"), Shape("gsk_", .alphanumeric, 40...64, "groq"),
    Shape("pplx-", .alphanumeric, 40...64, "perplexity"), Shape("r8_", .alphanumeric, 37...37, "replicate"),
    Shape("xai-", .alphanumeric, 70...100, "xai"), Shape("dp.pt.", .alphanumeric, 40...64, "doppler"),
    Shape("dp.st.", .dotted, 40...80, "doppler"), Shape("phx_", .word, 40...64, "posthog"),
    Shape("sgp_", .word, 40...64, "sourcegraph"), Shape("nfp_", .alphanumeric, 36...36, "netlify"),
    Shape("pat", .dotted, 79...79, "airtable"), Shape("key-", .hex, 32...32, "mailgun"),
    Shape("SK", .hex, 32...32, "twilio"), Shape("fo1_", .word, 43...43, "flyio"),
    Shape("FlyV1 fm", .token, 90...1200, "flyio"),
    Shape("vault:v1:", .base64, 30...1200, "vault"), Shape("EZAK", .alphanumeric, 54...54, "easypost"),
    Shape("EZTK", .alphanumeric, 54...54, "easypost"), Shape("rdme_", .alphanumeric, 70...70, "readme"),
    Shape("shippo_live_", .hex, 40...40, "shippo"), Shape("shippo_test_", .hex, 40...40, "shippo"),
    Shape("duffel_live_", .word, 43...43, "duffel"), Shape("duffel_test_", .word, 43...43, "duffel"),
    Shape("ddp_", .alphanumeric, 36...36, "datadog"), Shape("LTAI", .alphanumeric, 12...26, "alibaba"),
    Shape("AQVN", .word, 35...38, "yandex"), Shape("t1.9euelZ", .dotted, 80...300, "yandex"),
    Shape("CFPAT-", .word, 40...50, "contentful"), Shape("p8e-", .alphanumeric, 32...32, "prefect"),
    Shape("pnu_", .alphanumeric, 36...36, "prefect"), Shape("rpa_", .alphanumeric, 40...50, "runpod"),
    Shape("tskey-", .word, 20...80, "tailscale"), Shape("pscale_tkn_", .dotted, 32...64, "planetscale"),
    Shape("pscale_pw_", .dotted, 32...64, "planetscale"),
    Shape("pscale_oauth_", .dotted, 32...64, "planetscale"),
    Shape("hooks.slack.com/services/", .token, 30...120, "slack", keepsPrefix: true),
    Shape("discord.com/api/webhooks/", .token, 70...120, "discord", keepsPrefix: true),
    Shape("discordapp.com/api/webhooks/", .token, 70...120, "discord", keepsPrefix: true),
  ]

  private static let byFirst: [[Shape]] = {
    var table = [[Shape]](repeating: [], count: 256)
    // The longest prefix first: `sk-ant-` before `sk-`.
    for shape in shapes.sorted(by: { $0.prefix.count > $1.prefix.count }) {
      table[Int(shape.prefix[0])].append(shape)
    }
    return table
  }()

  /// For each first byte of a shape those that go on with it, a bit for the low five bits of each: few words of prose
  /// begin like one.
  private static let seconds: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 256)
    for shape in shapes { table[Int(shape.prefix[0])] |= 1 << UInt32(shape.prefix[1] & 0x1F) }
    return table
  }()

  private static func mayBegin(_ text: ArraySlice<UInt8>, at start: Int) -> Bool {
    let next = start + 1
    return next < text.endIndex && seconds[Int(text[start])] >> UInt32(text[next] & 0x1F) & 1 == 1
  }

  /// The secret that begins at `start`, where a word begins.
  static func match(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let first = text[start]
    if first == UInt8(ascii: "e"), let end = webTokenEnd(text, at: start) {
      return Found(start: start, end: end, kind: "jwt")
    }
    if first == UInt8(ascii: "-") {
      return pemEnd(text, at: start).map { Found(start: start, end: $0, kind: "pem") }
    }
    if mayBegin(text, at: start) {
      for shape in byFirst[Int(first)] where text[start...].starts(with: shape.prefix) {
        if let end = end(of: shape, in: text, at: start) {
          return Found(
            start: shape.keepsPrefix ? start + shape.prefix.count : start, end: end, kind: shape.kind)
        }
      }
    }
    if first &- UInt8(ascii: "M") < 3 { return discordBot(text, at: start) }
    return ASCII.isDigit(first) ? telegram(text, at: start) : nil
  }

  private static func end(of shape: Shape, in text: ArraySlice<UInt8>, at start: Int) -> Int? {
    let bodyStart = start + shape.prefix.count
    let body = text[bodyStart...].prefix(shape.lengths.upperBound + 1).prefix(while: shape.contains)
    // A full stop that ends a sentence is none of the token's.
    let end = shape.alphabet == .dotted && body.last == UInt8(ascii: ".") ? body.endIndex - 1 : body.endIndex
    // Words joined by hyphens are no token: it has digits, or changes between capitals and small letters.
    let hasTurns = body.contains(where: ASCII.isDigit) || body.contains { $0 &- 0x41 < 26 }
    guard shape.lengths.contains(end - bodyStart), hasTurns else { return nil }
    return end
  }

  /// `123456789:AA…`: a bot's number, and 35 characters that begin with `AA`.
  private static func telegram(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let number = text[start...].prefix(while: ASCII.isDigit)
    guard (8...10).contains(number.count), text[number.endIndex...].starts(with: ":AA".utf8) else {
      return nil
    }
    let rest = text[(number.endIndex + 1)...].prefix(while: ASCII.isWord)
    return rest.count == 35 ? Found(start: start, end: rest.endIndex, kind: "telegram") : nil
  }

  /// A bot's number in base64, which begins with `M`, `N` or `O`, and two more parts.
  private static func discordBot(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let number = text[start...].prefix(32).prefix(while: ASCII.isWord)
    guard (22...28).contains(number.count), let time = part(text, behind: number.endIndex), time.count == 6,
      let sum = part(text, behind: time.endIndex), (27...45).contains(sum.count),
      let digits = LooseBase64.decodedText(number), digits.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Found(start: start, end: sum.endIndex, kind: "discord")
  }

  // MARK: JSON Web Tokens

  /// Three parts of base64url, the last may be empty (RFC 7519 §6.1), or the five of an encrypted one (RFC 7516 §3.1). The
  /// header is JSON, so it begins with `{"`.
  private static func webTokenEnd(_ text: ArraySlice<UInt8>, at start: Int) -> Int? {
    // Not within a word, so that a run of them is read once.
    if start > text.startIndex, ASCII.isWord(text[start - 1]) { return nil }
    guard text[start...].starts(with: "eyJ".utf8) else { return nil }
    let header = text[start...].prefix(while: ASCII.isWord)
    guard header.count >= 12, let payload = part(text, behind: header.endIndex), payload.count >= 2,
      var last = part(text, behind: payload.endIndex)
    else { return nil }
    guard last.count > 0 || payload.starts(with: "ey".utf8) else { return nil }
    for _ in 0..<2 where last.count > 0 {
      guard let next = part(text, behind: last.endIndex), next.count >= 8 else { break }
      last = next
    }
    return last.endIndex
  }

  private static func part(_ text: ArraySlice<UInt8>, behind dot: Int) -> ArraySlice<UInt8>? {
    guard dot < text.endIndex, text[dot] == UInt8(ascii: ".") else { return nil }
    return text[(dot + 1)...].prefix(while: ASCII.isWord)
  }

  // MARK: PEM

  private static let pemOpening = Array("-----BEGIN ".utf8)
  private static let maximumLabelBytes = 64
  /// Far above the largest key, so that a text full of openings stays quickly read.
  private static let maximumPEMBytes = 64 * 1024

  /// A private key (RFC 7468 §10 and kin); certificates and public keys are public. One that is cut off is hidden to its
  /// last base64 character.
  private static func pemEnd(_ text: ArraySlice<UInt8>, at start: Int) -> Int? {
    guard text[start...].starts(with: pemOpening) else { return nil }
    let label = text[(start + pemOpening.count)...].prefix(maximumLabelBytes).prefix {
      $0 == UInt8(ascii: " ") || ASCII.isAlphanumeric($0)
    }
    guard ByteSearch.first(Array("PRIVATE KEY".utf8), in: label) != nil,
      text[label.endIndex...].starts(with: "-----".utf8)
    else {
      return nil
    }
    let closing = Array("-----END ".utf8) + label + Array("-----".utf8)
    let bodyStart = label.endIndex + 5
    if let end = ByteSearch.first(closing, in: text[bodyStart...].prefix(maximumPEMBytes)) {
      return end + closing.count
    }
    return text[bodyStart...].firstIndex {
      !ASCII.isSpace($0) && !ASCII.isAlphanumeric($0) && !"+/=\\:,-".utf8.contains($0)
    }
      ?? text.endIndex
  }
}
