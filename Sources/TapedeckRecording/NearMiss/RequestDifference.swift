/// A place where a request differs from a recorded one.
public struct RequestDifference: Sendable, Equatable {
  /// `method`, `path`, `query "page"`, `$.user.name`, `form "q"`, `part 2`, `body`.
  public var field: String
  /// What was recorded; nil when it is not there.
  public var recorded: String?
  /// What came; nil when it is not there.
  public var received: String?

  public init(field: String, recorded: String?, received: String?) {
    self.field = field
    self.recorded = recorded
    self.received = received
  }
}

extension RequestDifference: CustomStringConvertible {
  /// `$.user.name: "a" → "b"`, from what was recorded to what came.
  public var description: String { "\(field): \(recorded ?? "(absent)") → \(received ?? "(absent)")" }
}

extension RequestDifference {
  private static let maximumBytes = 80

  /// Bytes for people: control characters escaped, undecodable bytes replaced, long ones cut.
  static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes.prefix(maximumBytes), as: UTF8.self).unicodeScalars {
      text += scalar.value < 0x20 || scalar.value == 0x7F ? scalar.escaped(asASCII: false) : String(scalar)
    }
    return bytes.count > maximumBytes ? text + "…" : text
  }

  static func quoted(_ bytes: some Collection<UInt8>) -> String { "\"\(excerpt(bytes))\"" }
}
