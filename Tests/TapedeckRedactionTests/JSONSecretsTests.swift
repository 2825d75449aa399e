import TapedeckHTTP
import Testing

@testable import TapedeckRedaction

/// What a name above or beside a value makes a secret, at the nesting that APIs really have.
@Suite struct JSONSecretsTests {
  private func redacted(_ json: String) -> String {
    let search = SecretSearch(RedactionPolicy(RedactionRules(key: "k")))
    let text = Array(json.utf8)[...]
    return String(decoding: search.value(text, depth: 0).applied(to: text), as: UTF8.self)
  }

  private func reports(_ json: String) -> [SecretFind] {
    SecretScanner(RedactionRules(key: "k")).finds(in: Array(json.utf8), file: "")
  }

  static let hidden = [
    // A telling name protects everything under it.
    #"{"password":{"S":"hunter2"}}"#, #"{"password":{"new":"hunter2","old":"hunter2"}}"#,
    #"{"credentials":{"password":{"value":"hunter2"}}}"#, #"{"client_secret":[{"value":"hunter2"}]}"#,
    #"{"fields":{"password":{"stringValue":"hunter2"}}}"#, #"{"passwords":["hunter2"]}"#,
    #"{"passwords":[["hunter2"]]}"#, #"{"secret":{"db":{"main":"hunter2"}}}"#,
    // The name stands beside the value.
    #"{"name":"password","value":"hunter2"}"#, #"{"value":"hunter2","key":"db_password"}"#,
    #"{"op":"replace","path":"/password","value":"hunter2"}"#, #"{"type":"password","value":"hunter2"}"#,
    #"{"loc":["body","password"],"input":"hunter2"}"#,
    #"{"scope":"s","key":"password","string_value":"hunter2"}"#,
    #"{"id":"https://v.example/secrets/db/1","value":"hunter2"}"#,
    #"{"kind":"Secret","data":{"conf":"hunter2"}}"#, #"{"stringData":{"conf":"hunter2"},"kind":"Secret"}"#,
    #"{"metadata":{},"data":{"conf":"hunter2"},"type":"Opaque"}"#,
    #"{"name":"projects/1/secrets/db/versions/1","payload":{"data":"hunter2"}}"#,
    #"{"keys":["hunter2"],"keys_base64":["hunter2"]}"#,
    #"{"method":"walletpassphrase","params":["hunter2",60]}"#,
    // Lists of arguments.
    #"["redis-server","--requirepass","hunter2"]"#, #"{"Cmd":["redis-cli","-h","db","-a","hunter2"]}"#,
    #"["docker","login","-u","bob","-p","hunter2"]"#, #"["curl","-u","bob:hunter2","https://x.test/"]"#,
    #"["mysql","-uroot","-phunter2"]"#,
    // The reply that replaces a password.
    #"{"recovery_question":{"question":"Pet?","answer":"hunter2"}}"#, #"{"securityAnswer":"hunter2"}"#,
    // JSON in a string is read as JSON.
    #"{"SecretString":"{\"username\":\"bob\",\"password\":\"hunter2\"}"}"#,
    // Private parts of a JSON Web Key.
    #"{"kty":"oct","k":"hunter2"}"#,
    #"{"d":"hunter2","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
  ]

  @Test(arguments: hidden)
  func hides(_ json: String) throws {
    let redacted = redacted(json)
    #expect(!redacted.contains("hunter2"), "\(redacted)")
    #expect((try? JSONValue(parsing: Array(redacted.utf8))) != nil)
    #expect(self.redacted(redacted) == redacted)
    #expect(!reports(json).isEmpty)
    #expect(reports(redacted).isEmpty)
  }

  static let machineMade = [
    #"["Authorization","Bearer s3cr3t-v4lue"]"#,
    #"["Host","a.example","Authorization","Bearer s3cr3t-v4lue"]"#,
    #"["x-api-key","s3cr3t-v4lue"]"#, #"{"apiKey":{"stringValue":"s3cr3t-v4lue"}}"#,
    #"{"keyName":"key1","value":"s3cr3t-v4lue"}"#,
    #"{"method":"login","params":["db","admin","s3cr3t-v4lue"]}"#,
    #"{"method":"execute_kw","args":["db",2,"s3cr3t-v4lue","res.partner"]}"#,
    #"{"cookies":[{"name":"sid","value":"s3cr3t-v4lue"}]}"#,
    #"{"api_keys":["s3cr3t-v4lue"]}"#,
    #"{"访问令牌":"s3cr3t-v4lue"}"#,
  ]

  @Test(arguments: ["tokenName=ci&tokenValue=", "ParameterKey=DBPassword&ParameterValue="])
  func hidesInForms(_ form: String) {
    let search = SecretSearch(RedactionPolicy(RedactionRules(key: "k")))
    #expect(search.pairs(Array((form + "s3cr3t-v4lue").utf8)[...]).list.count == 1)
  }

  /// One-time codes beside the address that they were sent to.
  static let codes = [
    #"{"ChallengeResponses":{"SMS_MFA_CODE":"612345"}}"#, #"{"properties":{"email_otp":"612345"}}"#,
    #"{"認証コード":"612345"}"#,
    #"{"To":"+15550100","Code":"612345"}"#, #"{"code":"612345","email":"bob@example.com"}"#,
  ]

  @Test(arguments: codes)
  func hidesSentCodes(_ json: String) {
    #expect(!redacted(json).contains("612345"))
    #expect(!reports(json).isEmpty)
  }

  /// Clients decode these values, so their placeholders are base64 too; the hash is that of the text inside.
  static let encoded = [
    #"{"CiphertextBlob":"AQ==","Plaintext":"aHVudGVyMiE=","KeyId":"k"}"#,
    #"{"Name":"a","SecretBinary":"aHVudGVyMiE="}"#,
    #"{"kind":"Secret","data":{"conf":"aHVudGVyMiE="}}"#,
    #"{"name":"projects/1/secrets/db/versions/1","payload":{"data":"aHVudGVyMiE="}}"#,
  ]

  @Test(arguments: encoded)
  func placeholdersForBase64AreBase64(_ json: String) throws {
    let redacted = redacted(json)
    #expect(!redacted.contains("aHVudGVyMiE="))
    let placeholder = try #require(redacted.split(separator: "\"").first { $0.hasPrefix("UkVEQUNURUQ6") })
    let text = try #require(Base64.decode(Array(placeholder.utf8)))
    let policy = RedactionPolicy(RedactionRules(key: "k"))
    #expect(text == Placeholder.bytes(kind: "secret", digits: policy.digits(of: Array("hunter2!".utf8))))
    #expect(self.redacted(redacted) == redacted)
    #expect(!reports(json).isEmpty && reports(redacted).isEmpty)
  }

  @Test(arguments: machineMade)
  func hidesWhatIsMachineMade(_ json: String) {
    let redacted = redacted(json)
    #expect(!redacted.contains("s3cr3t"), "\(redacted)")
    #expect(self.redacted(redacted) == redacted)
    #expect(reports(redacted).isEmpty)
  }

  @Test(arguments: [
    #"{"password":{"type":"string","minLength":8,"description":"The user's password."}}"#,
    #"{"errors":{"password":["is too short","can't be blank"]}}"#,
    #"{"password":["This field may not be blank."]}"#, #"{"required":["password","email"]}"#,
    #"{"serviceKey":"search","customerKey":"59315","accountKey":"ACME-6564"}"#,
    #"{"ClientRequestToken":"550e8400-e29b-41d4-a716-446655440000","tokenizer":"cl100k_base"}"#,
    #"{"SecretId":"arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod-AbCdEf"}"#,
    #"{"SecretId":"prod/db","VersionStages":["AWSCURRENT"]}"#,
    #"{"KeyMetadata":{"CustomerMasterKeySpec":"SYMMETRIC_DEFAULT"}}"#,
    #"{"TokenValidityUnits":{"AccessToken":"minutes","IdToken":"minutes"}}"#,
    #"{"secretKeyRef":{"name":"db","key":"password"}}"#, #"{"usage":{"total_tokens":512}}"#,
    #"{"vocab":{"password":28712}}"#, #"{"special_tokens":["<|endoftext|>"]}"#,
    #"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc","e":"AQAB"}"#,
    #"{"sid":"AC0123456789abcdef0123456789abcdef"}"#, #"{"Name":"env","Value":"production"}"#,
    // Catalogues of labels, in any language.
    #"{"password":"Passwort","forgot_password":"Passwort vergessen?","secret":"Geheimnis"}"#,
    #"{"password":"密码","forgot_password":"忘记密码?","secret":"密钥","code":"12"}"#,
    #"{"password":"Password","secret":"Secret","clientSecret":"Client secret","authorization":"Authorization"}"#,
    // What is public for what stands beside it.
    #"{"SecretID":"4v5adolfp9a5ierfadmd08ejb","SecretName":"db"}"#,
    #"{"signatures":[{"keyid":"SHA256:jl3bwswu80","sig":"MEUCIQNRTx7JGqlznnneRB/RJks7LctOOYdqWFV"}]}"#,
    #"{"slot":114,"signature":"or0RBms1ptELXZklAYMKvsYEuYM16BqfWaWcvRBU3pe1VuNGMUO0rYUdOprlfMGq"}"#,
    #"{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds","thinking":"A tool.","type":"thinking"}"#,
    #"{"delta":{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl","type":"signature_delta"}}"#,
    #"{"parts":[{"text":"A tool.","thoughtSignature":"CiQB0e2Kb3y7Zr1JcXp8GvQ5hTn4LmWsDf6UoEaYi"}]}"#,
    #"{"reasoningText":{"text":"A tool.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl"}}"#,
    #"{"fields":{"password":"varchar(255)","secret":"bytea"}}"#,
    #"{"continuation":{"token":"-RID:~vvHn164Ii2onPf==#RT:1#TRC:2"}}"#, #"{"session_token":"0:-1#12345"}"#,
    #"{"code":"612345","country":"DE"}"#, #"{"email":"bob@example.com","code":"DE"}"#,
    #"{"question":"What is a token?","answer":"noun9"}"#, #"["--password-file","/run/secrets/db"]"#,
    #"{"annotations":{"checksum/secret":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}"#,
  ])
  func leavesAlone(_ json: String) {
    #expect(redacted(json) == json)
    #expect(reports(json).isEmpty)
  }

  /// What cannot be told from a password of one ordinary word is hidden.
  @Test(arguments: [
    #"{"password":"Sunshine"}"#, #"{"firstName":"Ada","city":"New York","password":"Sunshine"}"#,
    #"{"password":"Password","password_confirmation":"Password"}"#,
    #"{"password":"Passwort","secret":"Passwort vergessen?","db_password":"hunter2"}"#,
  ])
  func hidesWordsThatAreNoLabels(_ json: String) {
    #expect(redacted(json) != json)
    #expect(!reports(json).isEmpty)
  }

  /// A number stays a number that fits into 32 bits.
  static let numbers = [#"{"pin":1234}"#, #"{"otp": 123456 }"#, #"{"password":12345678}"#, #"{"cvc":123}"#]

  @Test(arguments: numbers)
  func hidesNumbersAsNumbers(_ json: String) throws {
    let redacted = redacted(json)
    guard case .object(let members)? = try? JSONValue(parsing: Array(redacted.utf8)),
      case .number(let number)? = members.first?.value
    else {
      Issue.record("\(redacted)")
      return
    }
    #expect(redacted != json)
    #expect(number.int.map { $0 <= Int(Int32.max) } == true)
    #expect(self.redacted(redacted) == redacted)
    #expect(reports(redacted).isEmpty)
  }

  /// What was hidden stays as it is: a placeholder beside a value is no name, and none behind a private path random.
  @Test func hidingTwiceIsHidingOnceInListsAndPaths() {
    let list = redacted(#"["postgres://app:hunter2@db.test/a","postgres://app:s3cr3t-v4lue@db.test/a"]"#)
    #expect(list.contains("REDACTED") && redacted(list) == list)
    let search = SecretSearch(RedactionPolicy(RedactionRules(key: "k")))
    let path = search.redacted(target: Array("/password/reset/Zq4Wn8Lk2Vt6Xy0Bd3Fh/end".utf8))
    #expect(String(decoding: path, as: UTF8.self).contains("REDACTED"))
    #expect(search.redacted(target: path) == path)
  }

  /// The quick check lets every document through that the walk finds something in.
  @Test func theQuickCheckMistrustsWhatTheWalkHides() {
    for json in Self.hidden + Self.machineMade + Self.numbers + Self.codes + Self.encoded {
      #expect(JSONQuickCheck.mayHide(Array(json.utf8)[...]), "\(json)")
    }
  }
}
