internal import CSSL

/// What is wrong with a certificate, a key or OpenSSL itself, in words for people.
package struct TLSError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// The failure of a call of OpenSSL, with the reason on this thread's error queue.
  static func openSSL(_ purpose: String) -> TLSError { TLSError("\(purpose): \(reason())") }

  /// Empties this thread's error queue.
  static func reason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "OpenSSL gave no reason"
  }
}
