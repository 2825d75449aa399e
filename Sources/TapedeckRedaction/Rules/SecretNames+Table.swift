import TapedeckHTTP

// MARK: - The table of names

extension SecretNames {
  private static func words(_ list: String) -> Set<String> {
    Set(list.split(separator: " ").map(String.init))
  }

  private static func pairs(_ list: String) -> Set<String> {
    Set(list.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init))
  }

  /// Words under which any text is a secret, in the languages most spoken.
  static let strong = words(
    """
    masterauth mnemonic passcode passphrase passwd password passwords psk requirepass secreta psw pswd pw pwd secret passwort kennwort wachtwoord \
    contraseña contrasena contraseñas senha senhas motdepasse parola hasło haslo heslo şifre Şifre sifre \
    รหัสผ่าน סיסמה סיסמא κωδικός گذرواژه salasana lösenord losenord adgangskode passord jelszó jelszo lozinka matkhau khẩu sandi пароль Пароль \
    пароля 密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 المرور السر पासवर्ड পাসওয়ার্ড پاسورڈ
    """)

  /// The words of other scripts and of letters with marks, which end longer words: `您的密码`.
  static let foreign = strong.filter { $0.utf8.last.map { $0 >= 0x80 } ?? false }

  /// What may follow them: the verb before a colon.
  static let foreignVerbs = ["是", "为", "は", "는", "은"]

  /// Endings of one long word, as in `loginpwd` without a capital.
  static let strongEndings = [
    "password", "passwd", "passphrase", "passcode", "secret", "passwort", "kennwort",
  ]

  /// What may stand before `pass` in one word: `dbpass` is a secret, `compass` is none.
  static let passOwners = words(
    """
    admin auth db email ftp http imap key keystore ldap login mail my mysql pg postgres proxy redis root smtp \
    ssh store user wifi
    """)

  static let strongPairs = pairs(
    """
    mot passe, de passe, پاس ورڈ, seed phrase, recovery phrase, secret phrase, challenge answer, recovery answer, \
    security answer
    """)

  /// Words whose values may be digits.
  static let codes = words(
    "cvc cvn cvv otp otps pin pins totp 認証コード 確認コード 验证码 驗證碼 인증번호 인증코드")

  static let codePairs = pairs(
    """
    authenticator code, backup code, backup codes, confirmation code, email code, fa code, mfa code, phone code, login code, oob code, pass code, recovery code, recovery codes, reset code, \
    scratch codes, security code, sms code, time code, time codes, time pin, unused codes, user code, \
    verification code
    """)

  /// What machines make, written as one word.
  static let oneWordKeys = words(
    """
    accesskey accesstoken apikey authtoken decryptionkey dsn encryptionkey idtoken jsessionid phpsessid \
    privatekey privkey refreshtoken rlkey secretkey sessionid sessiontoken signingkey
    """)

  static let keyEndings = ["apikey", "privatekey", "secretkey", "accesskey", "authkey", "accesstoken"]

  /// The same in two words.
  static let keyPairs = pairs(
    """
    access key, access token, api key, api token, app key, auth key, auth token, bearer token, \
    connection string, decryption key, encryption key, id token, master key, oauth token, personal token, \
    priv key, private key, private token, rapidapi key, refresh token, secret key, secret token, security token, \
    session token, signing key, subscription key, validation key
    """)

  /// Words that also have other uses.
  static let likely = words(
    """
    assertion auth authentication authorization bearer clave cred credential credentials creds csrf \
    csrfmiddlewaretoken csrftoken hmac jwt macaroon macaroons pass sas secrets sess session sid sig signature token tokens xsrf \
    令牌 访问令牌 密钥 访问密钥 アクセストークン アクセスキー 토큰 액세스토큰
    """)

  /// Pairs of words that also have other uses.
  static let likelyPairs = pairs(
    """
    account key, admin key, application key, auth code, authorization code, client key, code verifier, \
    consumer key, customer key, device code, function key, functions key, license key, sam lart, saml request, saml response, \
    service key, session key, shared key, storage key
    """)

  /// Pairs of words that are mostly about something else, such as a table's rows.
  static let randomPairs = pairs(
    "ingest key, ingestion key, integration key, primary key, routing key, secondary key, write key")

  /// What stands before `Key` in the names of ordinary header fields.
  static let ordinaryKeys = words(
    """
    cache correlation foreign idempotency object partition primary public request routing socket sort \
    surrogate
    """)

  /// Words that count alone, in a query or a form.
  static let pairWords: [String: Strength] = [
    "appid": .maybe, "code": .maybe, "key": .maybe, "sign": .maybe, "ticket": .maybe, "pgt": .likely,
    "samlresponse": .likely, "samlrequest": .likely,
  ]

  /// A random value is a secret under a name that holds one of these inside one word.
  static let runOn = [
    "token", "credential", "session", "signature", "apikey", "accesskey", "authkey", "csrf", "jwt", "pwd",
  ]

  /// The beginnings of words that hold one of these by chance.
  static let ordinaryWords = ["detokeniz", "obsession", "possession", "tokeniz"]

  /// Words that make `token` a page cursor.
  static let cursors = words(
    """
    change continuation cursor delta marker next page pagination prev previous resume skip start starting \
    sync
    """)

  /// The ends of names whose value is new in every request, but no secret.
  static let nonces = [["client", "request", "token"], ["idempotency", "token"]]

  static let digests = words("checksum checksums fingerprint fingerprints thumbprint")

  /// Members that wrap a value in DynamoDB, Firestore, Azure, XML as JSON and forms.
  static let wrappers = words(
    """
    b bs bytesvalue cdata content current data n new old plain plaintext previous raw s secretstring ss string \
    stringvalue text val value values
    """)

  /// Segments of paths in addresses that let in whoever knows them.
  static let privatePaths = words(
    """
    activate activation confirm confirmation ical invitation invite magic password reset reset-password \
    unsubscribe verification verify webhook webhooks
    """)

  /// Members below which names have messages and types for values.
  static let describers = words(
    """
    error errors i18n labels locale locales messages permissions placeholders translations validation \
    violations
    """)

  /// Last words of names that describe a secret: `token_type`, `password_policy`.
  static let about = words(
    """
    address addresses after age alerts alg algorithm algorithms applications arn at attempts audience before \
    button by changed check checks class column columns count created date day days description details \
    digits disabled domain driver duration email emails enabled encoding endpoint endpoints enum error errors \
    expiration expired expires expiry expression field fields file filename files flow form format function \
    header headers help hint hints hours icon identifier identifiers in index input issuer kind label labels last length level \
    lifespan lifetime limit limits link links location manager mask max maximum message messages method \
    methods min minimum minutes mode model module name names note number offset operation option options \
    owner page parallelism param parameter parameters params path paths pattern permission permissions \
    placeholder plugin policies policy position prefix prevention properties property provider providers ref \
    reference references refs regex region required requirement requirements reset resets result results \
    role roles rotated rotation rule rules scanning schema scheme schemes scope scopes screen seconds \
    selector service since size source spec specs stages state status store strategy strength style subject suffix \
    support supported table tag tags time timeout title topic translations ttl type types unit units until \
    updated uri url urls usage use used user username users valid validation validity version versions view \
    visible weight
    """)
}

// MARK: - The quick check

extension SecretNames {
  /// Whether a name or a text may hold a word of the table, as a word of its own. Other scripts are not split into words
  /// here.
  static func mayBeSecret(_ name: ArraySlice<UInt8>) -> Bool {
    name.withUnsafeBufferPointer { mayBeSecret($0) }
  }

  static func mayBeSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let last = name.count - 1
    guard last > 1 else { return last == 1 && isPw(name[0], name[1]) }
    if isPw(name[0], name[1]), isBoundary(name, 2) { return true }
    return marks.withPairs { pairs in
      let bytes = UnsafeRawBufferPointer(name)
      var (begun, others) = (UInt64(0), UInt64(0))
      var index = 0
      while index < name.count {
        let word = bytes.word(at: index, filledWith: 0)
        if pairs.mayEndMark(in: word, &begun), marks.hasWord(name, endingIn: index) { return true }
        others |= word
        index &+= 8
      }
      return others & 0x8080_8080_8080_8080 != 0
    }
  }

  /// A place from `start` on, before which no word of the table and no run of bytes as long as a long word ends; whoever
  /// holds the first of them holds the place too, or begins behind it. Other scripts are not seen.
  static func nextSuspect(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    // Elsewhere a byte before it is part of the mark.
    if start + 1 < text.count, isPw(text[start], text[start + 1]) { return start }
    return marks.withPairs { pairs in
      let bytes = UnsafeRawBufferPointer(text)
      var begun: UInt64 = 0
      var index = start
      // The bytes before `index` that may all be of one long word.
      var run = 0
      while index < text.count {
        let word = bytes.word(at: index, filledWith: 0)
        let ends = TextScan.endsOfWords(in: word)
        run &+= ends.trailingZeroBitCount &>> 3
        if run >= TextScan.minimumWordBytes { return index }
        if ends != 0 { run = ends.leadingZeroBitCount &>> 3 }
        if pairs.mayEndMark(in: word, &begun), marks.hasWord(text, endingIn: index) { return index }
        index &+= 8
      }
      return text.count
    }
  }

  private static func isPw(_ first: UInt8, _ second: UInt8) -> Bool {
    first | 0x20 == UInt8(ascii: "p") && second | 0x20 == UInt8(ascii: "w")
  }

  /// Whether a word may end or begin at a place: `words(of:)` tells why.
  private static func isBoundary(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    guard index > 0, index < name.count, ASCII.isLetter(name[index]), ASCII.isLetter(name[index - 1]) else {
      return true
    }
    guard name[index] & 0x20 == 0 else { return false }
    return name[index - 1] & 0x20 != 0
      || index + 1 < name.count && ASCII.isLetter(name[index + 1]) && name[index + 1] & 0x20 != 0
  }

  private static let marks = Marks()

  /// The words of the table by three of their bytes in a row, of each the low five bits.
  private struct Marks {
    private struct Word {
      var letters: [UInt8]
      /// The number of letters up to the end of the mark.
      var end: Int
      var isInside: Bool
    }

    /// Of every two bytes in a row, the marks that may begin in them, and those that may end in them; `Pairs` tells how.
    private var pairs = [UInt64](repeating: 0, count: 2048)
    private var words: [Int: [Word]] = [:]
    /// Whether three bytes are a mark.
    private var isMark = [Bool](repeating: false, count: 1 << 15)
    /// The last pair of bits is for `pw`.
    private static let bitPairs = 32

    init() {
      let ordinary = Set(ordinaryNames.split(separator: " ").flatMap { Self.marks(of: Array($0.utf8)) })
      for word in allWords.sorted() {
        let letters = Array(word.utf8)
        let marks = Self.marks(of: letters)
        let known = marks.indices.first { words[marks[$0]] != nil }
        guard let place = known ?? marks.firstIndex(where: { !ordinary.contains($0) }) ?? marks.indices.first
        else { continue }
        let word = Word(letters: letters, end: place + 3, isInside: insides.contains(word))
        add(word, marks[place], bits: words.count % (Self.bitPairs - 1))
      }
      // `pw` is the one word of two letters, with any letter before it.
      for first in 0..<32 {
        let mark = first << 10 | Int(UInt8(ascii: "p") & 0x1F) << 5 | Int(UInt8(ascii: "w") & 0x1F)
        add(Word(letters: Array("pw".utf8), end: 2, isInside: false), mark, bits: Self.bitPairs - 1)
      }
    }

    private mutating func add(_ word: Word, _ mark: Int, bits: Int) {
      words[mark, default: []].append(word)
      guard !isMark[mark] else { return }
      isMark[mark] = true
      let (first, second, third) = (mark >> 10, mark >> 5 & 0x1F, mark & 0x1F)
      let (even, odd) = (UInt64(1) << UInt64(2 * bits), UInt64(2) << UInt64(2 * bits))
      pairs[Pairs.place(first, second)] |= even
      pairs[Pairs.place(second, third) + 1] |= odd
      for any in 0..<32 {
        pairs[Pairs.place(third, any) + 1] |= even
        pairs[Pairs.place(any, first)] |= odd
      }
    }

    private static func marks(of word: [UInt8]) -> [Int] {
      guard word.count > 2, word.allSatisfy({ $0 < 0x80 }) else { return [] }
      return (2..<word.count).map { word[$0 - 2...$0].reduce(0) { $0 << 5 | Int($1 & 0x1F) } }
    }

    @inline(__always) func withPairs<Result>(_ body: (Pairs) -> Result) -> Result {
      pairs.withUnsafeBufferPointer { body(Pairs(bits: $0)) }
    }

    /// Whether one of the words with a mark has it where it ends in the eight bytes at `index`.
    @inline(never) func hasWord(_ name: UnsafeBufferPointer<UInt8>, endingIn index: Int) -> Bool {
      let start = max(index - 2, 0)
      var mark = 0
      for place in start..<min(index + 8, name.count) {
        mark = mark << 5 & 0x7FFF | Int(name[place] & 0x1F)
        if isMark[mark], place >= start + 2, hasWord(name, mark, at: place) { return true }
      }
      return false
    }

    /// Whether one of the words with a mark has it here, at its last byte.
    private func hasWord(_ name: UnsafeBufferPointer<UInt8>, _ mark: Int, at index: Int) -> Bool {
      words[mark, default: []].contains { word in
        let start = index + 1 - word.end
        guard start >= 0, start + word.letters.count <= name.count,
          word.letters.indices.allSatisfy({ ASCII.lowercased(name[start + $0]) == word.letters[$0] })
        else { return false }
        return word.isInside || isBoundary(name, start) && isBoundary(name, start + word.letters.count)
      }
    }
  }

  /// Where marks may be, told by pairs of bytes, of which only every second one is looked up, four at a time.
  ///
  /// A mark begins with the first byte of a pair, and ends with the first of the next one; or it begins with the second,
  /// and ends with the second of the next one. Each mark has a bit for the one and a bit for the other, which it shares
  /// with few others. A bit that both pairs have tells of a mark; hardly any other text has two such pairs.
  private struct Pairs {
    let bits: UnsafeBufferPointer<UInt64>

    /// Where the bits of a pair are, by the low five bits of each byte: first those of beginnings, then those of ends.
    static func place(_ first: Int, _ second: Int) -> Int { second << 6 | first << 1 }

    /// Whether a mark may end in eight bytes.
    /// - Parameter begun: the marks that may have begun in the pair before, and then those in the last of these.
    @inline(__always) func mayEndMark(in word: UInt64, _ begun: inout UInt64) -> Bool {
      let places = word &<< 1 & 0x003E_003E_003E_003E | word &>> 2 & 0x07C0_07C0_07C0_07C0
      let (first, second) = (Int(places & 0xFFFF), Int(places &>> 16 & 0xFFFF))
      let (third, fourth) = (Int(places &>> 32 & 0xFFFF), Int(places &>> 48))
      let ended =
        begun & bits[first &+ 1] | bits[first] & bits[second &+ 1] | bits[second] & bits[third &+ 1]
        | bits[third] & bits[fourth &+ 1]
      begun = bits[fourth]
      return ended != 0
    }
  }

  /// Names that are so frequent that none of the marks may stand in them.
  private static let ordinaryNames = """
    id name type created updated description class order record price owner items data value values count \
    total status state content message messages error results response request date time email address city \
    country phone title body text image images url href links language version size length position category \
    currency amount quantity accept connection server
    """

  /// Words that tell of a secret where no name of the table stands: in commands and names of fields.
  private static let clues: Set<String> = [
    "cookie", "cookies", "identified", "keys", "methodname", "plaintext", "securestring", "setuser", "wifi",
  ]

  /// The words that count inside longer ones too.
  private static let insides = Set(strongEndings).union(keyEndings).union(runOn).union(["pass", "token"])

  /// Every word that a name with a strength holds one of.
  static let allWords: Set<String> = {
    let firsts = [strongPairs, codePairs, keyPairs, likelyPairs, randomPairs].joined().compactMap { pair in
      // `request` and `response` stand in too many names.
      let words = pair.split(separator: " ").map(String.init)
      return words.first == "saml" ? words.first : words.last
    }
    return strong.union(codes).union(oneWordKeys).union(likely).union(firsts).union(pairWords.keys)
      .union(insides).union(clues)
  }()
}
