import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRedaction

/// What is hidden in texts, and what is left alone. Each row is named after what it shows.
@Suite struct TextScanTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// What must not be left of the text.
    var secrets: [String] = []

    var testDescription: String { name }

    init(_ name: String, _ text: String, hides secrets: String...) {
      (self.name, self.text, self.secrets) = (name, text, secrets)
    }
  }

  private static func hidden(_ text: String) -> String {
    let search = SecretSearch(RedactionPolicy(RedactionRules(key: "k")))
    let bytes = Array(text.utf8)
    return String(decoding: search.text(bytes[...], depth: 0).applied(to: bytes[...]), as: UTF8.self)
  }

  private static func found(_ text: String) -> [SecretFind] {
    SecretScanner(RedactionRules(key: "k")).finds(inText: Array(text.utf8), at: "")
  }

  // MARK: Found

  static let secrets = [
    Row("XML entry with a key", #"<entry key="password">Kibotuli123</entry>"#, hides: "Kibotuli123"),
    Row("plist pair", "<key>password</key>\n\t<string>Kibotuli123</string>", hides: "Kibotuli123"),
    Row(
      "XML-RPC member", "<member><name>password</name><value><string>hunter2</string></value></member>",
      hides: "hunter2"),
    Row(
      "WS-Security", ##"<wsse:Password Type="http://x/y#PasswordText">hunter2</wsse:Password>"##,
      hides: "hunter2"),
    Row("XML namespace", "<a:clientSecret>k3yk3yk3yk3y</a:clientSecret>", hides: "k3yk3yk3yk3y"),
    Row("XML wrapped in a value", "<password><value>hunter2</value></password>", hides: "hunter2"),
    Row("XML with blanks around CDATA", "<password>\n <![CDATA[hunter2]]>\n</password>", hides: "hunter2"),
    Row("XML cut off", "<login><password>hunter2", hides: "hunter2"),
    Row("appSettings", #"<add key="Password" value="hunter2"/>"#, hides: "hunter2"),
    Row("XML attribute", #"<user name="a" password="hunter2">x</user>"#, hides: "hunter2"),
    Row("password input", #"<input value="hunter2" type="password" name="f1">"#, hides: "hunter2"),
    Row("SQL password", "CREATE USER app WITH PASSWORD 'hunter2' VALID UNTIL 'x'", hides: "hunter2"),
    Row("SQL identified by", "CREATE USER 'app'@'%' IDENTIFIED BY 'hunter2';", hides: "hunter2"),
    Row("SQL set password", "SET PASSWORD = 'hunter2'", hides: "hunter2"),
    Row("SQL national string", "ALTER LOGIN sa WITH PASSWORD = N'hunter2'", hides: "hunter2"),
    Row("SQL function", "SET x = PASSWORD('hunter2')", hides: "hunter2"),
    Row("SQL update", "UPDATE users SET password = 'hunter2' WHERE id = 1", hides: "hunter2"),
    Row("mysql -p", "$ mysql -uroot -phunter2 app < dump.sql", hides: "hunter2"),
    Row("mysql alone", "mysql -phunter2", hides: "hunter2"),
    Row("curl -u", "Try: curl -u bob:hunter2 https://api.example.com/", hides: "hunter2"),
    Row("curl --user", "curl --user bob:hunter2 https://api.example.com/", hides: "hunter2"),
    Row("curl -u in quotes", #"curl -s -u "bob:hunter 2" https://x/"#, hides: "hunter 2"),
    Row("--password", "tool --password hunter2 --verbose", hides: "hunter2"),
    Row("--password=", "mysqldump --user=root --password=hunter2 app", hides: "hunter2"),
    Row("--api-key", "tool --api-key k3yZk3yQk3yk3y", hides: "k3yZk3yQk3yk3y"),
    Row("sshpass", "sshpass -p hunter2 ssh host", hides: "hunter2"),
    Row("redis-cli", "redis-cli -h db -a hunter2 ping", hides: "hunter2"),
    Row("docker login", "docker login -u bob -p hunter2 registry.example.com", hides: "hunter2"),
    Row("PHP define", "define( 'DB_PASSWORD', 'hunter2' );", hides: "hunter2"),
    Row("PHP array", "'password' => 'hunter2',", hides: "hunter2"),
    Row("Ruby symbol", ":password => \"hunter2\"", hides: "hunter2"),
    Row("setter", "store.setPassword(\"hunter2\");", hides: "hunter2"),
    Row("setter with a name", "props.setProperty(\"db.password\", \"hunter2\");", hides: "hunter2"),
    Row("Go assignment", "password := \"hunter2\"", hides: "hunter2"),
    Row("PowerShell", "ConvertTo-SecureString \"hunter2\" -AsPlainText", hides: "hunter2"),
    Row("YAML plain", "db:\n  password: hunter2\n", hides: "hunter2"),
    Row(
      "YAML block", "db:\n  password: |\n    hunter2\n    and more\n  port: 1\n", hides: "hunter2", "and more"
    ),
    Row("YAML folded", "token: >-\n  Ab3dEf6hIj9kLm2n\nname: x\n", hides: "Ab3dEf6hIj9kLm2n"),
    Row("YAML list", "passwords:\n  - hunter2\n  - swordfish9\nnext: 1", hides: "hunter2", "swordfish9"),
    Row("flow list", "passwords = ['hunter2', \"swordfish9\"]", hides: "hunter2", "swordfish9"),
    Row("netrc", "machine api.example.com login bob password hunter2", hides: "hunter2"),
    Row("netrc in lines", "machine a\n  login bob\n  password hunter2\n", hides: "hunter2"),
    Row(
      "npmrc", "//registry.npmjs.org/:_authToken=0b5e2c1a-7f43-4d58-9c1e-3a6b8d7f2e10\n",
      hides: "0b5e2c1a-7f43-4d58-9c1e-3a6b8d7f2e10"),
    Row("CSV column", "id,name,password\n1,bob,hunter2\n2,eve,swordfish", hides: "hunter2", "swordfish"),
    Row(
      "CSV in quotes", "User name,Secret access key\nbob,\"wJalrXUtnFEMI/K7\"\n", hides: "wJalrXUtnFEMI/K7"),
    Row("TSV", "name\tpassword\nbob\thunter2\n", hides: "hunter2"),
    Row("pgpass", "# hostname:port:database:username:password\ndb:5432:app:bob:hunter2\n", hides: "hunter2"),
    Row(
      "URL fragment", "see https://a.example/cb#access_token=Ab3dEf6hIj9kLm2n&token_type=bearer",
      hides: "Ab3dEf6hIj9kLm2n"),
    Row("scheme in a header", "X-Auth-Token: Bearer abcdefg\nAccept: */*", hides: "abcdefg"),
    Row(
      "mnemonic",
      "mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow\n",
      hides: "legal winner", "yellow"),
    Row(
      "seed phrase",
      "seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow",
      hides: "legal winner", "yellow"),
    Row("backup codes", "Your backup codes:\n12345678\n8765-4321\n", hides: "12345678", "8765-4321"),
    Row(
      "backup codes in a list", "backup_codes:\n  - 12345678\n  - 87654321\n", hides: "12345678", "87654321"),
    Row("recovery codes in a row", "Recovery codes: 12345678, 87654321", hides: "12345678", "87654321"),
    Row("cut-off JSON", #"{"user":"a","password":"hunt"#, hides: "hunt\""),
    Row("Dockerfile", "FROM x\nENV MYSQL_PASSWORD hunter2\n", hides: "hunter2"),
    Row(
      "cookie file", "example.com\tFALSE\t/\tTRUE\t0\tsessionid\ta3f9c2d18b7e4f60\n",
      hides: "a3f9c2d18b7e4f60"),
    Row("header in a log", "> Authorization: Bearer Ab3dEf6hIj9kLm2n\n", hides: "Ab3dEf6hIj9kLm2n"),
    Row("header without scheme", "Authorization: Ab3dEf6hIj9kLm2n", hides: "Ab3dEf6hIj9kLm2n"),
    Row("header with a scheme of its own", "Authorization: GenieKey a3f9c2d1-8b7e", hides: "a3f9c2d1-8b7e"),
    Row("LDIF", "dn: cn=a\nuserPassword:: aHVudGVyMg==\n", hides: "aHVudGVyMg"),
    Row("mail", "Hello Bob,\n\nyour new password is: hunter2\n", hides: "hunter2"),
    Row("code in a message", "Your verification code is 612345. Do not share it.", hides: "612345"),
    Row("aligned define", "define('AUTH_KEY',         'UEpctNDcUBEI6SY8hjDv0obgjl');", hides: "UEpctNDcUBEI"),
    Row(
      "short key", "x\n-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----\n",
      hides: "MHcCAQ"),
    Row("environment", "PGPASSWORD=hunter2 psql -U app", hides: "hunter2"),
    Row("Java option", "java -Djavax.net.ssl.keyStorePassword=hunter2 -jar a", hides: "hunter2"),
    Row("SQL row", "INSERT INTO users (name, password) VALUES ('bob', 'hunter2')", hides: "hunter2"),
    Row(
      "SQL rows", "REPLACE INTO `u` (id,`pwd`,x) VALUES\n(1,'hunt''er2',NULL),\n(2, N'swordfish', 'a')",
      hides: "hunt", "swordfish"),
    Row(
      "SQL copy", "COPY users (id, name, password) FROM stdin;\n1\tbob\thunter2\n2\teve\tswordfish\n\\.\n",
      hides: "hunter2", "swordfish"),
    Row("Redis user", "ACL SETUSER alice on >hunter2 ~* +@all", hides: "hunter2"),
    Row(
      "option in a YAML list", "command:\n  - redis-server\n  - --requirepass\n  - hunter2\n",
      hides: "hunter2"),
    Row("credentials in a message", "Received: Bearer q7Zk29dLm4Xw81Rt6Yb3.", hides: "q7Zk29dLm4Xw81Rt6Yb3"),
    Row("line of a log", "[debug] started by AKIAQ7ZK29DLM4XW81RT", hides: "AKIAQ7ZK29DLM4XW81RT"),
    Row("key in a message", "using API key q7Zk29dLm4Xw81Rt6Yb3", hides: "q7Zk29dLm4Xw81Rt6Yb3"),
    Row("French", "votre mot de passe provisoire est “Kibotuli123!” et", hides: "Kibotuli123!"),
    Row("sentence", "Your new password is Kibotuli123!\n", hides: "Kibotuli123!"),
    Row("Chinese", "您的密码是：hunter2\n", hides: "hunter2"),
    Row("Japanese", "パスワード：hunter2\n", hides: "hunter2"),
    Row("Wi-Fi key", "network={\n  psk=\"hunter2\"\n}", hides: "hunter2"),
    Row("Wi-Fi", #"WIFI:S:my\;home;T:WPA;P:hunt\;er2;;"#, hides: "hunt", "er2"),
    Row("Redis login", "AUTH default hunter2\nPING\n", hides: "hunter2"),
    Row("Redis login at a prompt", "127.0.0.1:6379> AUTH hunter2\nOK", hides: "hunter2"),
    Row("FTP login", "220 ready\nUSER bob\r\nPASS hunter2\r\n", hides: "hunter2"),
    Row("German", "Ihr Passwort lautet: hunter2\n", hides: "hunter2"),
    Row(
      "French", "Votre mot de passe est : hunter2\nMot de passe : swordfish9", hides: "hunter2", "swordfish9"),
    Row("Spanish", "Su contraseña es: hunter2\n", hides: "hunter2"),
    Row("Russian", "пароль: hunter2\n", hides: "hunter2"),
    Row("password behind a dash", "Note—password: hunter2\n", hides: "hunter2"),
    Row("two words in quotes", "export SMTP_PASS=\"hunter2 swordfish\"\n", hides: "hunter2", "swordfish"),
    Row("run-on name", "a=1&loginpwd=a8Kz0Q3mP7xV2bN5cR9t&b=2", hides: "a8Kz0Q3mP7xV2bN5cR9t"),
    Row(
      "Kubernetes in YAML",
      "kind: Secret\nmetadata:\n  name: keep-this\ndata:\n  app.conf: aHVudGVyMg==\nstringData:\n  a: hunter2\n  b: |\n    x1: 1\n    swordfish\n",
      hides: "aHVudGVyMg", "hunter2", "swordfish"),
    Row(
      "Kubernetes in a list",
      "items:\n- kind: Secret\n  data:\n    conf: hunter2\n- kind: ConfigMap\n  data:\n    other: kept\n",
      hides: "hunter2"),
    Row(
      "PuTTY",
      "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 2\nAAAAIHunter2\nSwordfish9=\nPrivate-MAC: 00\n",
      hides: "AAAAIHunter2", "Swordfish9"),
    Row(
      "shadow", "root:$6$Zq4Wn8Lk$\(String(repeating: "Ab3d", count: 21))Ab:19000:0:99999:7:::",
      hides: "Ab3dAb3d"),
    Row("htpasswd", "bob:$apr1$Zq4Wn8Lk$Ab3dAb3dAb3dAb3dAb3dA.\n", hides: "Ab3dAb3d"),
    Row(
      "XML-RPC by position",
      "<methodCall><methodName>wp.newPost</methodName><params><param><value><int>1</int></value></param><param><value><string>bob</string></value></param><param><value><string>hunter2</string></value></param></params>",
      hides: "hunter2"),
    Row("script", "window.config = {apiKey: \"Ab3dEf6hIj9kLm2n\", debug: false}", hides: "Ab3dEf6hIj9kLm2n"),
  ]

  @Test(arguments: secrets) func isHidden(_ row: Row) {
    let hidden = Self.hidden(row.text)
    for secret in row.secrets { #expect(!(hidden + "\"").contains(secret), "\(hidden)") }
    #expect(hidden.contains("REDACTED:"))
  }

  @Test(arguments: secrets) func isFoundByTheScannerToo(_ row: Row) {
    #expect(!Self.found(row.text).isEmpty)
    #expect(Self.found(Self.hidden(row.text)).isEmpty)
  }

  @Test(arguments: secrets) func isFoundAmongBinaryData(_ row: Row) {
    let data = [0, 0xFF, 1] + Array(row.text.utf8) + [0, 0xFF]
    let found = SecretScanner(RedactionRules(key: "k")).finds(inText: data, at: "")
    #expect(found.map(\.looksLike) == Self.found(row.text).map(\.looksLike))
  }

  @Test func bytesThatAreNoTextAreNoSecret() {
    let secret: [UInt8] = [0x8E, 0xF3, 0x31, 0xC1, 0x7A, 0xE9, 0x42, 0xFE, 0x51, 0x94]
    let data = [0] + Array("password=".utf8) + secret + [0]
    #expect(SecretScanner(RedactionRules(key: "k")).finds(inText: data, at: "").isEmpty)
  }

  @Test(arguments: secrets) func quickCheckKnowsIt(_ row: Row) {
    #expect(TextScan.mayHide(Array(row.text.utf8)[...]))
  }

  @Test(arguments: [" ", ",", ".", "/", "ü"]) func quickCheckSeesALongWordAtEveryPlace(_ mark: String) {
    for count in 0..<10 {
      for prose in [String(repeating: "on\(mark)", count: count), String(repeating: mark, count: count)] {
        #expect(TextScan.mayHide(Array("\(prose)a1b2c3d4e5\(mark)on".utf8)[...]))
        #expect(!TextScan.mayHide(Array("\(prose)1-2_3-4-5\(mark)on".utf8)[...]))
      }
    }
  }

  // MARK: Left alone

  static let ordinary = [
    Row(
      "example in angle brackets",
      "DB_PASSWORD=\nAPI_KEY=<your-api-key>\nTOKEN_TTL=3600\nSESSION_DRIVER=redis\n"),
    Row("shell variable", "SECRET_KEY_BASE=${SECRET_KEY_BASE}\ntoken=$API_TOKEN"),
    Row("Python environment", "SECRET_KEY = os.environ.get(\"SECRET_KEY\")"),
    Row("Python item", "password = request.form[\"password\"]"),
    Row("Python types", "def login(user: str, password: str, token: str | None = None) -> Session:"),
    Row("Python prompt", "password = getpass.getpass(\"Password: \")\n\nprint(1)"),
    Row("Python call", "token = secrets.token_urlsafe(32)"),
    Row("Node environment", "const apiKey = process.env.API_KEY;"),
    Row("minified code", "const password=process.env.PASSWORD,a=1"),
    Row("Java field", "this.password = password;"),
    Row("Java call", "this.password = encoder.encode(password);"),
    Row("Swift field", "init(password: String) { self.password = password }"),
    Row("Swift key", "static let passwordKey = \"password\""),
    Row("JavaScript call", "const password = document.querySelector('#password').value;"),
    Row("JavaScript template", "headers: { Authorization: `Bearer ${token}` },"),
    Row("JavaScript schema", "z.object({ password: z.string().min(8), token: z.string().uuid() })"),
    Row("regex", "const passwordRegex = /^(?=.*\\d).{8,}$/;"),
    Row("SQL columns", "CREATE TABLE users (\n  password varchar(255) NOT NULL,\n  token text UNIQUE\n);"),
    Row(
      "SQL rows of others", "INSERT INTO users (name, token) VALUES ('bob', :token), ('eve', ?), ('x', NULL)"),
    Row("SQL without columns", "INSERT INTO words VALUES ('password', 'secret')"),
    Row("SQL copy of others", "COPY users (id, token) FROM stdin;\n1\tnone\n\\.\n"),
    Row("sentences", "The password is sha256-hashed. The token is base64-encoded; the secret is in vault2."),
    Row("role that may log in", "CREATE ROLE web1 LOGIN PASSWORD NULL;\nLOGIN is required"),
    Row("open Wi-Fi", "WIFI:T:nopass;S:guests;;"),
    Row("mail dialogue", "AUTH LOGIN\nAUTH TLS\nAUTH required\nAUTH is required\nPASS src/login.test.js\n"),
    Row("YAML of another kind", "kind: ConfigMap\ndata:\n  a: hunter2\n---\nkind: Secret\ntype: Opaque\n"),
    Row("public lines of a key", "Public-Lines: 1\nAAAAC3NzaC1lZDI1NTE5AAAAIJ\n"),
    Row("price with signs", "It costs $6$ or $apr1$; the password is required."),
    Row("SQL parameters", "UPDATE users SET password = :password WHERE token = $1"),
    Row("SQL null", "CREATE ROLE web LOGIN PASSWORD NULL;"),
    Row("HCL references", "password = random_password.db.result\ntoken = var.api_token"),
    Row("Rails", "password: params[:password]\napi_key: Rails.application.credentials.api_key"),
    Row("workflow", "  GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}\n  id-token: write"),
    Row("working folder", "PWD=/usr/src/app"),
    Row(
      "file of a secret", "POSTGRES_PASSWORD_FILE=/run/secrets/db_password\nssl.key.password.file=/etc/x.pass"
    ),
    Row("key of an object", "stored key=orders/2026/dbf75faa-811b-4f61-ad2a-ffe4bdf8bfaf.json"),
    Row("ARN", "arn:aws:secretsmanager:eu-central-1:126097703530:secret:rds!db-691608e4-uMt5Kd"),
    Row(
      "prose on authorization", "Use a token: it expires. Authorization: see chapter 3. The secret: practice."
    ),
    Row("manual", "You need an Authorization header (i.e. Authorization: Bearer YOUR_KEY)."),
    Row(
      "man page",
      "-u, --user <user:password>\n   Specify the user\n--pass <phrase>\n  Passphrase for the key."),
    Row("option in prose", "Use --password to set the password, or --token for a token."),
    Row("README", "export API_KEY=\"YOUR_API_KEY\"\ncurl -H \"Authorization: Bearer $API_TOKEN\" https://x/"),
    Row("example JSON", #"run: {"password": "string", "token": "...", "secret": "<redacted>"}"#),
    Row("example user", "curl -u USERNAME:PASSWORD https://api.example.com/\nmysql -u root -p\n"),
    Row("container user", "docker run -u 1000:1000 -p 8080:80 curlimages/curl"),
    Row("names in a list", "required: ['email', 'password', 'token', 'secret']"),
    Row("Go flag", "flag.StringVar(&password, \"password\", \"\", \"password of the database\")"),
    Row("Android label", #"<string name="password">Passwort vergessen</string>"#),
    Row("HTML label", "<label for=\"password\">Password</label><p>Password: (unchanged)</p>"),
    Row("properties", "login.password=Password\nlogin.password.forgotten=Forgotten your password?"),
    Row("mysqld", "Access denied for user 'bob'@'10.0.0.1' (using password: YES)"),
    Row(
      "CSV about passwords",
      "id,email,password_changed_at,token_count\n1,a@example.com,2026-01-01T00:00:00Z,3\n"),
    Row("sentence with commas", "Password, token, secret\nOne, two and three"),
    Row(
      "Java class",
      "private String password;\nthis.password = password;\nString token = request.getHeader(\"Authorization\");\n"
    ),
    Row("error code", "The error code is 50013."),
    Row("text about keys", "between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- lines"),
    Row("Rust path", "use secret::Value9; password::check9()"),
    Row("error message", "{\"password\": [\"is too short (minimum is 8 characters)\"], \"x\":"),
  ]

  @Test(arguments: ordinary) func isLeftAlone(_ row: Row) {
    #expect(Self.hidden(row.text) == row.text)
    #expect(Self.found(row.text).isEmpty)
  }

  // MARK: Laws

  @Test(arguments: secrets + ordinary) func hidingTwiceIsHidingOnce(_ row: Row) {
    for seed in 0..<20 {
      let text = seed == 0 ? row.text : Self.mutated(row.text, seed)
      let once = Self.hidden(text)
      #expect(Self.hidden(once) == once, "\(text)")
    }
  }

  @Test(arguments: secrets + ordinary) func whatIsHiddenPassesTheQuickCheck(_ row: Row) {
    for seed in 1..<20 {
      let bytes = Array(Self.mutated(row.text, seed).utf8)
      var scan = TextScan(bytes[...], SecretSearch(RedactionPolicy(RedactionRules(key: "k"))), depth: 0)
      #expect(scan.run().isEmpty || TextScan.mayHide(bytes[...]), "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  /// The text with a few bytes dropped, doubled or replaced by marks.
  private static func mutated(_ text: String, _ seed: Int) -> String {
    var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(text.utf8.count)
    func next(_ limit: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % limit
    }
    var bytes = Array(text.utf8)
    for _ in 0..<3 where bytes.count > 1 {
      let place = next(bytes.count)
      switch next(3) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(bytes[place], at: place)
      default: bytes[place] = Array(" \"'=:<>-,\n\t(".utf8)[next(12)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    "password:", "password: |\n", "<password>", "<a password=", "--password ", "curl -u a:", "mysql -p",
    "'password', '",
    "password: [\"", "backup codes:\n1", "IDENTIFIED BY '", "password\t", "a,password\n", "#token=",
    "seed phrase: ab ",
    "\"password\": \"", "x(", "(password) VALUES (", "(pw) VALUES ('", "WIFI:S:", "AUTH x\n",
    "kind: Secret\ndata:\n a: ",
    "Private-Lines: 99\n", "(password) FROM stdin\n", "SETUSER >", "密码：", "password is a1 ",
    "<methodName>wp.a</methodName><param>", "$6$a$", "пароль: ", "passwort lautet: ",
    "password: \n- a:\n", "ENV PASSWORD ", "login machine password ",
  ])
  func longTextsAreReadInLinearTime(_ piece: String) {
    func seconds(_ count: Int) -> Duration {
      let text = String(repeating: piece, count: count / piece.utf8.count)
      return threadTime { _ = Self.hidden(text) }
    }
    // Far below what reading ahead to the end from every place would take.
    let small = seconds(8000)
    #expect(seconds(32_000) < small * 12 + .milliseconds(200))
  }
}
