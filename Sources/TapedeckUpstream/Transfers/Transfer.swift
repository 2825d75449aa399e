/// A whole request to a server that is no origin, such as an object store; sent by libcurl's own transfers.
package struct Transfer {
  package enum Body: Sendable {
    case bytes([UInt8])
    case file(path: String, bytes: Int)
  }

  package var method: String
  /// With a path and query that are percent-encoded; they are sent as they stand.
  package var url: String
  /// `Host` and `Content-Length` are libcurl's.
  package var fields: [(name: String, value: String)]
  /// Only a PUT or POST has one.
  package var body: Body
  /// Takes the body of a response of status 200, piece by piece; `false` ends the transfer. Without it the body is kept.
  package var onPiece: ((UnsafeRawBufferPointer) -> Bool)?
  /// The most bytes that are kept of a body.
  package var limitBytes = 1 << 20

  package init(
    _ method: String, _ url: String, fields: [(name: String, value: String)] = [], body: Body = .bytes([])
  ) {
    (self.method, self.url, self.fields, self.body) = (method, url, fields, body)
  }
}

/// The response to a transfer; all of it has arrived.
package struct TransferResponse: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  /// Empty where the pieces were taken.
  package var body: [UInt8]

  package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }

  /// The value of the first field of a name.
  package func field(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Why a transfer has no response.
package struct TransferFailure: Error, Equatable, Sendable {
  package enum Cause: Sendable {
    /// There was no connection.
    case unreachable
    /// The connection broke, or the response was not whole.
    case cut
    /// The response, or the next piece of it, did not come in time.
    case timedOut
    /// The server's certificate was refused, or the handshake failed.
    case tls
    /// The body is larger than its limit, or was refused piece by piece.
    case refused
    /// The file to send could not be read.
    case unreadable
    case other
  }

  package let cause: Cause
  /// For people; names the server's host at most.
  package let reason: String

  package init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}

/// What a pool is to do next.
package enum TransferStep {
  case start(id: Int, Transfer)
  /// There is nothing to start for this time, or until a transfer ends.
  case wait(milliseconds: Int)
  /// There will be nothing more, except after a transfer that is under way.
  case none
}
