internal import TapedeckHTTP
internal import TapedeckSockets

extension HTTPConnection {
  /// The exchange being answered.
  struct Exchange {
    var method: HTTPMethod
    var target: [UInt8]
    var version: HTTPVersion
    var startedAt: MonotonicTime
    var source = HTTPAnswer.Source.server
    var status = 0
    var keepsAlive: Bool
  }
}
