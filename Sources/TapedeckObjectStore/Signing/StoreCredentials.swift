/// What requests to a store are signed with. Printed or dumped, it shows the key's id alone.
package struct StoreCredentials: Sendable, Equatable {
  package let keyID: String
  let secret: String
  /// `nil` for credentials that do not expire.
  let sessionToken: String?

  package init(keyID: String, secret: String, sessionToken: String? = nil) {
    (self.keyID, self.secret, self.sessionToken) = (keyID, secret, sessionToken)
  }

  /// Whether all of it can stand in a field of a request. A line break, as files end with, cannot.
  var isPlain: Bool { [keyID, secret, sessionToken ?? ""].allSatisfy(StoreEnvironment.isPlain) }
}

extension StoreCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { keyID }
  package var debugDescription: String { keyID }
  package var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
}
