internal import Glibc

/// A kernel call that failed: which one, on what, and why.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
  public let call: String
  public let code: Int32
  /// What the call was about, for example an address.
  public let subject: String?

  /// The failure that `errno` tells of.
  init(_ call: String, subject: String? = nil) { self.init(call, code: errno, subject: subject) }

  init(_ call: String, code: Int32, subject: String? = nil) {
    self.call = call
    self.code = code
    self.subject = subject
  }

  public var isAddressInUse: Bool { code == EADDRINUSE }
  public var isPermissionDenied: Bool { code == EACCES }

  public var description: String {
    "\(call)\(subject.map { " \($0)" } ?? ""): \(String(cString: strerror(code)))"
  }
}
