import TapedeckHTTP

/// Secrets that are known by their shape, wherever they stand: provider-prefixed keys, JSON Web Tokens, private keys in
/// PEM. Each shape says exactly what may follow its prefix, so that ordinary words do not have it.
enum TokenShapes {
  struct Found {
    /// Behind the prefix, where that is no secret: the address of a webhook.
    var start: Int
    var end: Int
    var kind: String
    /// What it is, for people: `a GitHub token`.
    var looksLike: String
    /// How many bytes follow the prefix, or the opening line of a key in PEM.
    var bodyCount: Int
  }

  private enum Alphabet { case alphanumeric, word, upper, hex, base64, dotted, token }

  private struct Shape {
    var prefix: [UInt8]
    var alphabet: Alphabet
    var lengths: ClosedRange<Int>
    var kind: String
    var looksLike: String
    /// Whether the prefix is no part of the secret.
    var keepsPrefix: Bool

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

  /// A row of the table.
  private static func shapes(
    _ prefixes: [String], _ alphabet: Alphabet, _ lengths: ClosedRange<Int>, _ kind: String,
    _ looksLike: String, keepsPrefix: Bool = false
  ) -> [Shape] {
    prefixes.map {
      Shape(
        prefix: Array($0.utf8), alphabet: alphabet, lengths: lengths, kind: kind, looksLike: looksLike,
        keepsPrefix: keepsPrefix)
    }
  }

  /// Prefixes, what follows them and how many bytes of it, the kind in placeholders and in `--keep`, and the name for
  /// people. From the providers' documentation, or where that says nothing, from public rule sets of secret scanners.
  private static let rows: [[Shape]] = [
    shapes(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], .alphanumeric, 30...255, "github", "a GitHub token"),
    shapes(["github_pat_"], .word, 50...255, "github", "a GitHub token"),
    shapes(["glpat-", "glrt-"], .dotted, 20...300, "gitlab", "a GitLab token"),
    shapes(["gloas-"], .word, 40...128, "gitlab", "a GitLab token"),
    shapes(
      ["gldt-", "glptt-", "glcbt-", "glsoat-", "glimt-", "GR1348941"],
      .word, 20...64, "gitlab", "a GitLab token"),
    shapes(["glagent-"], .word, 40...64, "gitlab", "a GitLab token"),
    shapes(["AKIA", "ASIA", "ABIA", "ACCA"], .upper, 16...16, "aws", "an AWS access key"),
    shapes(["ABSK"], .base64, 100...300, "aws", "an AWS API key"),
    shapes(["AIza"], .word, 35...35, "google", "a Google API key"),
    shapes(["GOCSPX-"], .word, 28...28, "google", "a Google client secret"),
    shapes(["ya29."], .dotted, 20...1200, "google", "a Google token"),
    shapes(["sk-ant-"], .word, 20...255, "anthropic", "an Anthropic key"),
    shapes(["sk-proj-", "sk-svcacct-", "sk-admin-"], .word, 20...255, "openai", "an OpenAI key"),
    shapes(["sk-"], .alphanumeric, 20...128, "openai", "an OpenAI key"),
    shapes(["sk-or-v1-"], .hex, 64...64, "openrouter", "an OpenRouter key"),
    shapes(
      ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
      .alphanumeric, 10...255, "stripe", "a Stripe key"),
    shapes(["whsec_"], .base64, 20...255, "stripe", "a webhook secret"),
    shapes(["sk_"], .hex, 32...128, "key", "an API key"),
    shapes(
      [
        "xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxb-",
        "xoxe.xoxp-", "xapp-",
      ],
      .word, 20...255, "slack", "a Slack token"),
    shapes(["hooks.slack.com/services/"], .token, 30...120, "slack", "a Slack webhook", keepsPrefix: true),
    shapes(["SG."], .dotted, 60...80, "sendgrid", "a SendGrid key"),
    shapes(["xkeysib-"], .word, 70...100, "brevo", "a Brevo key"),
    shapes(["npm_"], .alphanumeric, 36...36, "npm", "an npm token"),
    shapes(["pypi-"], .word, 50...300, "pypi", "a PyPI token"),
    shapes(["rubygems_"], .hex, 48...48, "rubygems", "a RubyGems key"),
    shapes(["cio"], .alphanumeric, 32...32, "cratesio", "a crates.io token"),
    shapes(["dckr_pat_", "dckr_oat_"], .word, 20...64, "docker", "a Docker token"),
    shapes(["hf_", "api_org_"], .alphanumeric, 30...64, "huggingface", "a Hugging Face token"),
    shapes(["shpat_", "shpca_", "shppa_"], .alphanumeric, 32...64, "shopify", "a Shopify token"),
    shapes(["shpss_"], .alphanumeric, 32...64, "shopify", "a Shopify secret"),
    shapes(["EAAA"], .word, 56...80, "square", "a Square token"),
    shapes(["sq0atp-"], .word, 22...64, "square", "a Square token"),
    shapes(["sq0csp-"], .word, 40...64, "square", "a Square secret"),
    shapes(["EAAC"], .alphanumeric, 80...300, "facebook", "a Facebook token"),
    shapes(["dop_v1_", "doo_v1_", "dor_v1_"], .hex, 64...64, "digitalocean", "a DigitalOcean token"),
    shapes(["hvs.", "hvr."], .word, 20...300, "vault", "a Vault token"),
    shapes(["hvb."], .word, 100...400, "vault", "a Vault token"),
    shapes(["vault:v1:"], .base64, 30...1200, "vault", "a Vault ciphertext"),
    shapes(["lin_api_"], .alphanumeric, 40...40, "linear", "a Linear key"),
    shapes(["ntn_"], .alphanumeric, 40...64, "notion", "a Notion token"),
    shapes(["secret_"], .alphanumeric, 43...43, "notion", "a Notion token"),
    shapes(["figd_"], .word, 40...64, "figma", "a Figma token"),
    shapes(["PMAK-"], .word, 59...59, "postman", "a Postman key"),
    shapes(["ATATT3", "ATCTT3"], .token, 100...300, "atlassian", "an Atlassian token"),
    shapes(["dapi"], .hex, 32...34, "databricks", "a Databricks token"),
    shapes(["glsa_"], .word, 41...64, "grafana", "a Grafana token"),
    shapes(["glc_"], .base64, 32...400, "grafana", "a Grafana token"),
    shapes(["sntrys_"], .token, 60...400, "sentry", "a Sentry token"),
    shapes(["sntryu_"], .hex, 64...64, "sentry", "a Sentry token"),
    shapes(["NRAK-"], .alphanumeric, 27...27, "newrelic", "a New Relic key"),
    shapes(["NRJS-"], .hex, 19...19, "newrelic", "a New Relic key"),
    shapes(["NRII-"], .word, 32...32, "newrelic", "a New Relic key"),
    shapes(["pul-"], .hex, 40...40, "pulumi", "a Pulumi token"),
    shapes(["sbp_"], .hex, 40...40, "supabase", "a Supabase key"),
    shapes(["sb_secret_"], .word, 20...64, "supabase", "a Supabase key"),
    shapes(["tfp_"], .word, 40...64, "typeform", "a Typeform token"),
    shapes(["ops_ey"], .token, 200...1200, "onepassword", "a 1Password token"),
    shapes(["AGE-SECRET-KEY-1"], .upper, 58...58, "age", "an age key"),
    shapes(["gsk_"], .alphanumeric, 40...64, "groq", "a Groq key"),
    shapes(["pplx-"], .alphanumeric, 40...64, "perplexity", "a Perplexity key"),
    shapes(["r8_"], .alphanumeric, 37...37, "replicate", "a Replicate token"),
    shapes(["xai-"], .alphanumeric, 70...100, "xai", "an xAI key"),
    shapes(["dp.pt."], .alphanumeric, 40...64, "doppler", "a Doppler token"),
    shapes(["dp.st."], .dotted, 40...80, "doppler", "a Doppler token"),
    shapes(["phx_"], .word, 40...64, "posthog", "a PostHog key"),
    shapes(["sgp_"], .word, 40...64, "sourcegraph", "a Sourcegraph token"),
    shapes(["nfp_"], .alphanumeric, 36...36, "netlify", "a Netlify token"),
    shapes(["pat"], .dotted, 79...79, "airtable", "an Airtable token"),
    shapes(["key-"], .hex, 32...32, "mailgun", "a Mailgun key"),
    shapes(["SK"], .hex, 32...32, "twilio", "a Twilio key"),
    shapes(["fo1_"], .word, 43...43, "flyio", "a Fly.io token"),
    shapes(["FlyV1 fm"], .token, 90...1200, "flyio", "a Fly.io token"),
    shapes(["EZAK", "EZTK"], .alphanumeric, 54...54, "easypost", "an EasyPost key"),
    shapes(["rdme_"], .alphanumeric, 70...70, "readme", "a ReadMe key"),
    shapes(["shippo_live_", "shippo_test_"], .hex, 40...40, "shippo", "a Shippo token"),
    shapes(["duffel_live_", "duffel_test_"], .word, 43...43, "duffel", "a Duffel token"),
    shapes(["ddp_"], .alphanumeric, 36...36, "datadog", "a Datadog key"),
    shapes(["LTAI"], .alphanumeric, 12...26, "alibaba", "an Alibaba access key"),
    shapes(["AQVN"], .word, 35...38, "yandex", "a Yandex key"),
    shapes(["t1.9euelZ"], .dotted, 80...300, "yandex", "a Yandex key"),
    shapes(["CFPAT-"], .word, 40...50, "contentful", "a Contentful token"),
    shapes(["p8e-"], .alphanumeric, 32...32, "prefect", "a Prefect key"),
    shapes(["pnu_"], .alphanumeric, 36...36, "prefect", "a Prefect key"),
    shapes(["rpa_"], .alphanumeric, 40...50, "runpod", "a RunPod key"),
    shapes(["tskey-"], .word, 20...80, "tailscale", "a Tailscale key"),
    shapes(
      ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
      .dotted, 32...64, "planetscale", "a PlanetScale token"),
    shapes(
      ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
      .token, 70...120, "discord", "a Discord webhook", keepsPrefix: true),
  ]

  private static let byFirst: [[Shape]] = {
    var table = [[Shape]](repeating: [], count: 256)
    // The longest prefix first: `sk-ant-` before `sk-`.
    for shape in rows.joined().sorted(by: { $0.prefix.count > $1.prefix.count }) {
      table[Int(shape.prefix[0])].append(shape)
    }
    return table
  }()

  /// For each first byte of a prefix its second bytes, a bit for the low five bits of each.
  private static let seconds: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 256)
    for shape in rows.joined() { table[Int(shape.prefix[0])] |= 1 << UInt32(shape.prefix[1] & 0x1F) }
    return table
  }()

  private static func mayBegin(_ text: ArraySlice<UInt8>, at start: Int) -> Bool {
    let next = start + 1
    return next < text.endIndex && seconds[Int(text[start])] >> UInt32(text[next] & 0x1F) & 1 == 1
  }

  /// The secret that begins at `start`, where a word begins.
  static func match(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let first = text[start]
    if first == UInt8(ascii: "e"), let token = webToken(text, at: start) { return token }
    if first == UInt8(ascii: "-") { return privateKey(text, at: start) }
    if mayBegin(text, at: start) {
      for shape in byFirst[Int(first)] where text[start...].starts(with: shape.prefix) {
        guard let end = end(of: shape, in: text, at: start) else { continue }
        let body = start + shape.prefix.count
        return Found(
          start: shape.keepsPrefix ? body : start, end: end, kind: shape.kind, looksLike: shape.looksLike,
          bodyCount: end - body)
      }
    }
    if first &- UInt8(ascii: "M") < 3 { return discordBot(text, at: start) }
    return ASCII.isDigit(first) ? telegram(text, at: start) : nil
  }

  private static func end(of shape: Shape, in text: ArraySlice<UInt8>, at start: Int) -> Int? {
    let bodyStart = start + shape.prefix.count
    let body = text[bodyStart...].prefix(shape.lengths.upperBound + 1).prefix(while: shape.contains)
    // A full stop at the end ends a sentence.
    let end = shape.alphabet == .dotted && body.last == UInt8(ascii: ".") ? body.endIndex - 1 : body.endIndex
    // A token has digits or capitals; words joined by hyphens have not.
    let isMixed = body.contains(where: ASCII.isDigit) || body.contains { $0 &- 0x41 < 26 }
    guard shape.lengths.contains(end - bodyStart), isMixed else { return nil }
    return end
  }

  /// `123456789:AA…`: a bot's number, and 35 characters that begin with `AA`.
  private static func telegram(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let number = text[start...].prefix(while: ASCII.isDigit)
    guard (8...10).contains(number.count), text[number.endIndex...].starts(with: ":AA".utf8) else {
      return nil
    }
    let rest = text[(number.endIndex + 1)...].prefix(while: ASCII.isWord)
    guard rest.count == 35 else { return nil }
    return Found(
      start: start, end: rest.endIndex, kind: "telegram", looksLike: "a Telegram bot token", bodyCount: 35)
  }

  /// A bot's number in base64, which begins with `M`, `N` or `O`, and two more parts.
  private static func discordBot(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let number = text[start...].prefix(32).prefix(while: ASCII.isWord)
    guard (22...28).contains(number.count), let time = part(text, behind: number.endIndex), time.count == 6,
      let sum = part(text, behind: time.endIndex), (27...45).contains(sum.count),
      let digits = LooseBase64.decodedText(number), digits.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Found(
      start: start, end: sum.endIndex, kind: "discord", looksLike: "a Discord bot token",
      bodyCount: sum.endIndex - start)
  }

  // MARK: JSON Web Tokens

  /// Three parts of base64url, of which the last may be empty (RFC 7519 §6.1), or the five of an encrypted token
  /// (RFC 7516 §3.1). The header is JSON, so it begins with `{"`.
  private static func webToken(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    // Only where a word begins, so that a run of words is read once.
    if start > text.startIndex, ASCII.isWord(text[start - 1]) { return nil }
    guard text[start...].starts(with: "eyJ".utf8) else { return nil }
    let header = text[start...].prefix(while: ASCII.isWord)
    guard header.count >= 12, let payload = part(text, behind: header.endIndex), payload.count >= 2,
      var last = part(text, behind: payload.endIndex)
    else { return nil }
    guard last.count > 0 || payload.starts(with: "ey".utf8) else { return nil }
    var looksLike = "a JSON Web Token"
    for _ in 0..<2 where last.count > 0 {
      guard let next = part(text, behind: last.endIndex), next.count >= 8 else { break }
      last = next
      looksLike = "an encrypted JSON Web Token"
    }
    return Found(
      start: start, end: last.endIndex, kind: "jwt", looksLike: looksLike, bodyCount: last.endIndex - start)
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

  /// A private key (RFC 7468 §10 and kin); certificates and public keys are public. A key that is cut off ends with its
  /// last base64 character.
  private static func privateKey(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    guard text[start...].starts(with: pemOpening) else { return nil }
    let label = text[(start + pemOpening.count)...].prefix(maximumLabelBytes).prefix {
      $0 == UInt8(ascii: " ") || ASCII.isAlphanumeric($0)
    }
    guard ByteSearch.first(Array("PRIVATE KEY".utf8), in: label) != nil,
      text[label.endIndex...].starts(with: "-----".utf8)
    else { return nil }
    let closing = Array("-----END ".utf8) + label + Array("-----".utf8)
    let body = text[(label.endIndex + 5)...]
    let bodyEnd = ByteSearch.first(closing, in: body.prefix(maximumPEMBytes))
    let cutEnd = bodyEnd == nil ? body.firstIndex { !isInKey($0) } ?? text.endIndex : text.endIndex
    return Found(
      start: start, end: bodyEnd.map { $0 + closing.count } ?? cutEnd, kind: "pem",
      looksLike: "a private key", bodyCount: (bodyEnd ?? cutEnd) - body.startIndex)
  }

  private static func isInKey(_ byte: UInt8) -> Bool {
    ASCII.isSpace(byte) || ASCII.isAlphanumeric(byte) || "+/=\\:,-".utf8.contains(byte)
  }
}
