internal import TapedeckHTTP

/// Rules of the other kinds.
extension OverridesSchema {
  static var resource: JSONValue {
    object(identity + [member("path", reference("path"))], ["required": ["path"]])
  }
}
