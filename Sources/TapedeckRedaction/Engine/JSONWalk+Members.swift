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

  static let logins: [StaticString] = ["login", "authenticate", "signin"]

  /// Whether a value is the type of a Kubernetes secret.
  static func isSecretType(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    ASCII.equal(value, lowercase: "opaque") || value.starts(with: "kubernetes.io/".utf8)
  }

  /// Whether the value of a member may be the name of another value, or the kind of their object.
  static func isNameName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch name.count {
    case 2: ASCII.equal(name, lowercase: "id")
    case 4: ["name", "path", "type", "kind"].contains { ASCII.equal(name, lowercase: $0) }
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
    case 7: ["payload", "cookies", "keyname"].contains { ASCII.equal(name, lowercase: $0) }
    case 11: ASCII.equal(name, lowercase: "keys_base64") || ASCII.equal(name, lowercase: "stringdata")
    default: false
    }
  }
}
