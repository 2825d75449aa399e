import TestSupport
import Testing

@testable import TapedeckRedaction

@Suite struct SecretNamesTests {
  typealias Strength = SecretNames.Strength

  private func strength(_ name: String, _ place: SecretNames.Place) -> Strength {
    SecretNames.strength(of: Array(name.utf8)[...], in: place)
  }

  /// The quick no lets every word of the tables through.
  @Test func mistrustsEveryWordOfTheTables() {
    let words = SecretNames.allWords.union(SecretNames.strongPairs).union(SecretNames.keyPairs).union(
      SecretNames.codePairs
    ).union(
      SecretNames.likelyPairs)
    for word in words { #expect(SecretNames.mayBeSecret(Array(word.utf8)[...]), "\(word)") }
    for word in ["created", "description", "owner", "price", "items", "co", ""] {
      #expect(!SecretNames.mayBeSecret(Array(word.utf8)[...]), "\(word)")
    }
  }

  /// The quick check reads several bytes at a time, so a word must be seen from any place and at any distance from the end.
  @Test func mistrustsEveryWordAtEveryPlace() {
    for word in SecretNames.allWords {
      for before in 0..<10 {
        let missed = (0..<10).filter { after in
          let dots = { [UInt8](repeating: UInt8(ascii: "."), count: $0) }
          return !SecretNames.mayBeSecret((dots(before) + Array(word.utf8) + dots(after))[...])
        }
        #expect(missed.isEmpty, "\(word) after \(before) dots and before \(missed)")
      }
    }
  }

  @Test func suspectsEveryWordAtEveryPlace() {
    for word in SecretNames.allWords where word.count > 2 && word.utf8.allSatisfy({ $0 < 0x80 }) {
      for before in 0..<10 {
        let missed = (0..<10).filter { after in
          let blanks = { [UInt8](repeating: 0x20, count: $0) }
          let text = blanks(before) + Array(word.utf8) + blanks(after)
          let suspect = text.withUnsafeBufferPointer { SecretNames.nextSuspect(in: $0, from: 0) }
          return suspect >= before + word.utf8.count
        }
        #expect(missed.isEmpty, "\(word) after \(before) blanks and before \(missed)")
      }
    }
  }

  private static let pieces = [
    "a", "id", "the quick brown fox ", "name", "2026-03-01", "T09:30:00Z", " ", ".", ",", "-", "_", "pw",
    "Pw", "api",
    "Key", "KEY", "pass", "ssw", "Token", "secret", "login", "sid", "otp", "0123456789", "abcdefghi",
    "abcdefghij",
    "ABCdef", "\\n", "x", "author", "compass", "keyboard",
  ]

  /// What the quick check of JSON relies on: a string before the next suspect needs no look of its own.
  @Test func passesNoStringThatMayBeSecret() {
    var luck = SeededGenerator(31)
    var passed = 0
    for _ in 0..<20_000 {
      let strings = (0..<Int.random(in: 1...9, using: &luck)).map { _ in
        (0..<Int.random(in: 0...6, using: &luck)).map { _ in Self.pieces.randomElement(using: &luck) ?? "" }
          .joined()
      }
      let text = Array(strings.joined(separator: "\"").utf8)
      var suspect = -1
      for string in text.split(separator: UInt8(ascii: "\"")) {
        if suspect < string.startIndex {
          suspect = text.withUnsafeBufferPointer { SecretNames.nextSuspect(in: $0, from: string.startIndex) }
        }
        guard suspect >= string.endIndex else { continue }
        passed += 1
        let isLong = string.withUnsafeBufferPointer { TextScan.hasLongWord(in: $0) }
        guard isLong || SecretNames.mayBeSecret(string) else { continue }
        Issue.record("\(String(decoding: string, as: UTF8.self)) in \(String(decoding: text, as: UTF8.self))")
      }
    }
    #expect(passed > 5_000)
  }

  /// Other scripts are not split into words, wherever they stand.
  @Test func mistrustsWhatIsNoASCIIAtEveryPlace() {
    for count in 1..<20 {
      for place in 0..<count {
        var text = [UInt8](repeating: UInt8(ascii: "."), count: count)
        #expect(!SecretNames.mayBeSecret(text[...]))
        text[place] = 0xC3
        #expect(count < 3 || SecretNames.mayBeSecret(text[...]), "\(place) of \(count)")
      }
    }
  }

  @Test(arguments: [
    ("X-Api-Key", "x api key"), ("apiKey", "api key"), ("APIKey", "api key"), ("API_KEY", "api key"),
    ("PHPSESSID", "phpsessid"), ("user[password]", "user password"), ("SAMLResponse", "saml response"),
    ("clientSecret2", "client secret"), ("", ""), ("---", ""), ("aB", "a b"), ("ÄpiKey", "Äpi key"),
  ])
  func takesNamesApart(_ name: String, _ words: String) {
    let found = SecretNames.words(of: Array(name.utf8)[...])
    #expect(found.joined(separator: " ") == words)
  }

  @Test(arguments: [
    "password", "Password", "new_password", "passwd", "user[password]", "dbPassword", "mypassword",

    "client_secret", "clientSecret", "secret", "passphrase", "webhook_secret",
    "secretString",
    "mnemonic", "password_hash", "pw", "adminPw", "psw", "pswd", "dbpass",
    "db_passwd",
    "passcode", "contraseña", "senha", "mot_de_passe", "motDePasse", "Passwort", "wachtwoord", "пароль",
    "Пароль",
    "密码", "パスワード", "비밀번호", "şifre", "كلمة المرور", "पासवर्ड", "hasło", "seedPhrase",
    "SMTP_PASS", "requirepass", "--requirepass", "您的密码", "wpa_psk", "security_answer",
  ])
  func knowsNamesOfSecrets(_ name: String) {
    for place in [SecretNames.Place.header, .pair, .member] {
      #expect(strength(name, place) == .strong, "\(place)")
    }
  }

  @Test(arguments: [
    "pin", "otp", "totp", "cvc", "cvv", "userPin", "backup_codes", "recoveryCodes", "verification_code",
  ])
  func knowsNamesOfCodes(_ name: String) {
    for place in [SecretNames.Place.header, .pair, .member] {
      #expect(strength(name, place) == .code, "\(place)")
    }
  }

  @Test(arguments: [
    "api_key", "apikey", "x-api-key", "apiKey", "access_token", "accessToken", "refresh_token", "id_token",
    "session_token", "SessionToken", "private_key", "privateKey", "privKey", "accountKey", "access-key",
    "subscription-key", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "x-goog-api-key", "X-Auth-Token",
    "Private-Token", "x_functions_key", "x-rapidapi-key", "PHPSESSID", "JSESSIONID", "sessionid",
    "oauth_token",
    "bearer_token", "sid", "connect.sid", "token", "tokens", "auth", "credential", "credentials", "session",
    "session_id", "sessionId", "signature", "sig", "jwt", "csrf_token", "X-CSRF-Token", "csrfmiddlewaretoken",
    "xsrf", "assertion", "authenticity_token", "X-Vault-Token", "X-Shopify-Access-Token", "device_token",
    "X-Hub-Signature-256", "connectionString", "connection_string", "device_code", "code_verifier",
    "usertoken",
    "creds", "hmac", "X-Amz-Signature", "Authentication-Info", "__RequestVerificationToken",
    "sasToken", "smtp_pass", "SAMLResponse",
  ])
  func knowsNamesOfLikelySecrets(_ name: String) {
    for place in [SecretNames.Place.header, .pair, .member] {
      #expect(strength(name, place) >= .likely, "\(place)")
    }
  }

  @Test(arguments: [
    "author", "authority", "authors", "Authorized", "token_type", "tokenType", "expires_in",
    "token_expires_at",
    "next_page_token", "nextPageToken", "pageToken", "nextToken", "NextToken", "NextContinuationToken",
    "ContinuationToken",
    "syncToken", "nextSyncToken", "$skiptoken", "NextMarker", "cursor", "Key", "keys", "id", "name", "etag",
    "key_id",
    "access_key_id", "public_key", "object_key", "idempotency-key", "Idempotency-Key", "cache_key",
    "foreign_key",
    "SignatureVersion", "signature_algorithm", "SignatureMethod", "password_policy", "passwordRequired",
    "secret_name",
    "SecretArn", "session_duration", "sessionTimeout", "auth_type", "authUrl", "token_url", "token_endpoint",
    "client_id",
    "user", "username", "email", "X-Request-Id", "X-Amzn-RequestId", "Sec-WebSocket-Key", "Content-Type",
    "compass",
    "passenger", "tokenizer", "keyboard", "monkey", "assessment", "obsession", "design", "assign",
    "designation",
    "X-Auth-User", "certificate", "codec", "postcode", "country_code", "statusCode", "X-Frame-Options",
    "Connection",
    "Transfer-Encoding", "credentials_url", "created", "signed_headers", "X-Amz-SignedHeaders",
    "auth_provider", "apn_credential_sid", "password_policy", "PasswordReusePrevention",
    "secret_scanning_alerts",
    "tokenAddress", "passwordChanged", "last_password_reset", "cvc_check", "cvcResult",
    "CustomerMasterKeySpec",
    "TokenValidityUnits", "secretKeyRef", "checksum/secret", "lastPrivateKeyHash", "api_key_header",
    "API_KEY_PARAMETER", "PASSWORD_FILE", "pinned", "shipping", "pin_code", "otpSupportedApplications",
    "access.token.lifespan", "ClientRequestToken", "bypass", "trespass", "underpass",
    "message", "passed", "class", "accept", "Cache-Control", "X-Content-Type-Options", "position", "a", "",
  ])
  func leavesOrdinaryNamesAlone(_ name: String) {
    for place in [SecretNames.Place.header, .member] { #expect(strength(name, place) == .none, "\(place)") }
  }

  /// Names that hold a secret's in one long word.
  @Test(arguments: ["loginpwd", "mysessionkeys", "x-usertokenvalue", "apikeys"])
  func mistrustsRunOnNames(_ name: String) {
    for place in [SecretNames.Place.header, .pair, .member] {
      #expect(strength(name, place) >= .maybe, "\(place)")
    }
  }

  @Test(arguments: [
    ("pgt", Strength.likely), ("key", .maybe), ("code", .maybe), ("ticket", .maybe), ("SAMLRequest", .likely),
    ("X-Amz-Credential", .likely),
    ("page", .none), ("q", .none), ("filter[key]", .none),
  ])
  func knowsNamesOfParameters(_ name: String, _ strength: Strength) {
    #expect(self.strength(name, .pair) == strength)
  }
}

@Suite struct SecretValueTests {
  private func isSecret(_ value: String, _ strength: SecretNames.Strength) -> Bool {
    SecretValue.isSecret(Array(value.utf8)[...], under: strength)
  }

  @Test(arguments: [
    "", "a", "true", "False", "null", "None", "yes", "****", "xxxxxxxx", "-----", "REDACTED:secret:0123abcd",
    "REDACTED:aws:deadbeef",
  ])
  func hidesNothingThatIsNone(_ value: String) { #expect(!isSecret(value, .strong)) }

  @Test(arguments: [
    "hunter2", "letmein", "pw", "correct horse battery staple", "12345678", "password", "REDACTED:x",
  ])
  func hidesAnyPassword(_ value: String) { #expect(isSecret(value, .strong)) }

  @Test(arguments: [
    "required", "optional", "Bearer", "short", "abc123", "1234567890", "2026-11-21", "2026-11-21T01:52:33Z",
    "3600",
    "12,345,678", "read-write-all", "refresh_token", "authorization_code", "client-credentials",
    "api.example.com",
    "https://example.com/callback", "/api/v1/users", "two words here", "Authorization", "HMAC-SHA256",
    "REDACTED:jwt:01234567",
    "administrator", "AWS4-HMAC-SHA256", "some_setting_name_v2",
  ])
  func takesWordsForWords(_ value: String) {
    #expect(!isSecret(value, .likely))
    #expect(!isSecret(value, .maybe))
  }

  @Test(arguments: [
    "QpwL5tke4Pnpa7X4", "0123456789abcdef0123456789abcdef", "550e8400-e29b-41d4-a716-446655440000",
    "s3cr3t-v4lue",
    "dGhpcyBpcyBhIHRlc3Q=", "p@ssw0rd!9", "QpwLtkePnpaLwRtZb", "f3a9c2d1", "a1b2c3d4e5",
  ])
  func takesOtherThingsForSecrets(_ value: String) { #expect(isSecret(value, .likely)) }

  @Test(arguments: [
    "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "SplxlOBeZQQYbYS6WxSbIA", "4/P7q7W91a-oMsCeLvIaQm6bTrgtp7",
  ])
  func knowsWhatLooksRandom(_ value: String) { #expect(isSecret(value, .maybe)) }

  @Test(arguments: [
    "user:1234", "products/2026/image-01.png", "550e8400-e29b-41d4-a716-446655440000",
    "my-favourite-cache-key-2024",
    "a-b-c-d-e-f-g-h-i-j-k-l", "0000000000000000", "backups/2026-11-21.tar.gz", "US", "E4042",
  ])
  func knowsWhatDoesNot(_ value: String) { #expect(!isSecret(value, .maybe)) }

  @Test(arguments: [
    ("dark", false), ("en-US", false), ("1", false), ("1080", false), ("deleted", false), ("", false),
    ("true", false),
    ("12345", true), ("abc123", true), ("octocat12", true), ("a=b", true), ("s%3Aabc", true),
  ])
  func knowsCookies(_ value: String, _ isSecret: Bool) {
    #expect(SecretValue.isCookieSecret(Array(value.utf8)[...]) == isSecret)
  }
}
