import TapedeckHTTP

/// The members that tell about the members beside them.
extension JSONWalk {
  static let nameNames: [StaticString] = ["key", "header", "field", "parameterkey"]

  static let valueNames: [StaticString] = ["value", "parametervalue", "string_value", "input"]

  /// The name that a member gives to the value beside it; `nil` for other members.
  static func heldName(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if nameNames.contains(where: { ASCII.equal(name, lowercase: $0) }) {
      return DecodedText(value, .json).bytes
    }
    // `/prod/db/password` in AWS's parameters, `/user/password` in a patch (RFC 6902 §3).
    if ASCII.equal(name, lowercase: "name") || ASCII.equal(name, lowercase: "path") {
      return DecodedText(value, .json).bytes.split(separator: UInt8(ascii: "/")).last
    }
    // Keycloak's credentials; of other types the name is told elsewhere.
    if ASCII.equal(name, lowercase: "type") {
      let isTelling = ASCII.equal(value, lowercase: "password") || ASCII.equal(value, lowercase: "secret")
      return isTelling ? value : nil
    }
    // Azure's keys and secrets.
    if ASCII.equal(name, lowercase: "keyname") { return Array("access_key".utf8)[...] }
    if ASCII.equal(name, lowercase: "id"), ByteSearch.first(Array("/secrets/".utf8), in: value) != nil {
      return Array("secret".utf8)[...]
    }
    return nil
  }

  /// Whether an item may be the name of the next one, unlike an address that holds a placeholder.
  static func mayName(_ item: ArraySlice<UInt8>) -> Bool {
    item.count <= 64 && item.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") || $0 >= 0x80 }
  }

  static func isValueName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    valueNames.contains { ASCII.equal(name, lowercase: $0) }
  }

  /// The members that hold what is secret in `{"kind": "Secret", …}` and the like.
  static let partNames: [StaticString] = ["data", "stringdata", "payload", "keys", "params", "args"]

  static let logins: [StaticString] = ["login", "authenticate", "signin", "execute_kw"]

  /// Whether a value is the type of a Kubernetes secret.
  static func isSecretType(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    ASCII.equal(value, lowercase: "opaque")
      || value.first == UInt8(ascii: "k") && value.starts(with: "kubernetes.io/".utf8)
  }

  /// Whether the value of a member may be the name of another value, or the kind of their object.
  static func isNameName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch name.count {
    case 2: ASCII.equal(name, lowercase: "id")
    case 4:
      ASCII.equal(name, lowercase: "name") || ASCII.equal(name, lowercase: "path")
        || ASCII.equal(name, lowercase: "type") || ASCII.equal(name, lowercase: "kind")
    default: nameNames.contains { ASCII.equal(name, lowercase: $0) }
    }
  }

  /// Whether a member makes its object a JSON Web Key.
  static func isKeyType(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.count == 3 && ASCII.equal(name, lowercase: "kty")
  }

  static let keyParts: [StaticString] = ["d", "k", "p", "q", "dp", "dq", "qi"]

  /// Whether a member may tell that other members of its object are secrets.
  static func tellsKind(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch name.count {
    case 3: isKeyType(name)
    case 6: ASCII.equal(name, lowercase: "method")
    case 7:
      ASCII.equal(name, lowercase: "payload") || ASCII.equal(name, lowercase: "cookies")
        || ASCII.equal(name, lowercase: "keyname")
    case 11: ASCII.equal(name, lowercase: "keys_base64") || ASCII.equal(name, lowercase: "stringdata")
    case 16...18: endsWithQuestion(name)
    default: false
    }
  }

  private static func endsWithQuestion(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = name.last.map(ASCII.lowercased) == UInt8(ascii: "s") ? name.dropLast() : name[...]
    return ASCII.equal(name.suffix(8), lowercase: "question")
  }

  /// Whether an item may be an option of one letter with a secret in it or in the next item: `-p`, `-phunter2`.
  static func isShortOption(_ item: UnsafeBufferPointer<UInt8>) -> Bool {
    item.count > 1 && item[0] == UInt8(ascii: "-") && "paPwuU".utf8.contains(item[1])
  }

  /// The members that are in base64, so that their placeholders must be too.
  static func isEncodedName(_ name: ArraySlice<UInt8>) -> Bool {
    encodedNames.contains { ASCII.equal(name, lowercase: $0) }
  }

  private static let encodedNames: [StaticString] = [
    "plaintext", "secretbinary", "privatekeyplaintext", "privatekeydata", "authorizationtoken",
  ]

  // MARK: Members that tell about each other

  /// What other members say about a value.
  enum Condition: Equatable {
    /// It is a label if the object is a catalogue of labels.
    case label
    /// It is a one-time code beside the address that it was sent to.
    case sentCode
    /// It is public beside one of these members.
    case unlessBeside(Siblings)
  }

  struct Siblings: OptionSet {
    var rawValue: UInt8
    static let recipient = Siblings(rawValue: 1)
    /// Docker's `SecretID` beside it is no more than an id.
    static let secretName = Siblings(rawValue: 2)
    /// Signatures that anyone can verify have it beside them, as npm's, TUF's and DSSE's.
    static let keyID = Siblings(rawValue: 4)
    /// The place of a transaction in a block chain, whose signature is its name.
    static let block = Siblings(rawValue: 8)
    /// A model's reasoning, whose signature goes back to the model and opens nothing.
    static let reasoning = Siblings(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(named name: ArraySlice<UInt8>) {
      self =
        (4...11).contains(name.count) ? Self.names.first { ASCII.equal(name, lowercase: $0.0) }?.1 ?? [] : []
    }

    private static let names: [(StaticString, Siblings)] = [
      ("secretname", secretName), ("secret_name", secretName), ("keyid", keyID), ("slot", block),
      ("blockhash", block), ("blocktime", block), ("blocknumber", block), ("thinking", reasoning),
    ]
  }

  /// The condition under which a value is judged; `nil` where its name is enough.
  static func condition(
    for value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, _ verdict: SecretNames.Strength
  ) -> Condition? {
    if verdict == .none {
      return ASCII.equal(name, lowercase: "code") && SecretValue.isSentCode(value) ? .sentCode : nil
    }
    if ASCII.equal(name, lowercase: "secretid") || ASCII.equal(name, lowercase: "secret_id") {
      return .unlessBeside(.secretName)
    }
    if ASCII.equal(name, lowercase: "sig") { return .unlessBeside(.keyID) }
    if ASCII.equal(name, lowercase: "signature") { return .unlessBeside([.block, .reasoning]) }
    guard verdict == .strong || FieldKind(name) == .authorization else { return nil }
    return OrdinaryText.isLabel(DecodedText(value, .json).bytes) ? .label : nil
  }

  /// Whether a member is the signature of a model's reasoning by its own name and that of its object: Gemini's, Bedrock's.
  static func signsReasoning(_ name: ArraySlice<UInt8>, in outer: ArraySlice<UInt8>) -> Bool {
    switch name.count {
    case 9: ASCII.equal(name, lowercase: "signature") && ASCII.equal(outer, lowercase: "reasoningtext")
    case 16: ASCII.equal(name, lowercase: "thoughtsignature")
    case 17: ASCII.equal(name, lowercase: "thought_signature")
    default: false
    }
  }

  /// Whether a member says that its object is a piece of a streamed signature of reasoning: Anthropic's.
  static func tellsReasoning(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool {
    ASCII.equal(name, lowercase: "type") && ASCII.equal(value, lowercase: "signature_delta")
  }

  private static let recipients: [StaticString] = [
    "to", "phone", "phonenumber", "phone_number", "mobile", "msisdn", "email", "emailaddress",
    "email_address", "recipient", "username",
  ]

  /// Whether a member is the address of a message: a telephone number or a mailbox.
  static func isRecipient(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool {
    guard (2...13).contains(name.count), recipients.contains(where: { ASCII.equal(name, lowercase: $0) })
    else {
      return false
    }
    return value.count > 4
      && (value.dropFirst().allSatisfy(ASCII.isDigit) || value.contains(UInt8(ascii: "@")))
  }

  /// Whether the labels under the names of secrets are those of a form in some language: two of them say what
  /// they are labels of, and one of these is more than a word.
  static func isCatalogue(_ labels: [ArraySlice<UInt8>]) -> Bool {
    let naming = labels.filter { SecretNames.isNamed(in: $0) }
    return naming.contains { $0 != naming.first } && naming.contains { !SecretNames.isOneStrongWord($0) }
  }
}
