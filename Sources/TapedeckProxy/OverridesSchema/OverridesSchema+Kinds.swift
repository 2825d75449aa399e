internal import TapedeckHTTP

/// Rules of the other kinds.
extension OverridesSchema {
  static var resource: JSONValue {
    object(identity + [member("path", reference("path"))], ["required": ["path"]])
  }

  static var patch: JSONValue {
    object(identity + condition("Any where it is missing.") + usage("probability"), ["required": ["path"]])
  }

  static var fault: JSONValue {
    object(identity + condition("Any where it is missing.") + usage("probability"), ["required": ["path"]])
  }

  static var effect: JSONValue { ["type": "object"] }
}
