internal import TapedeckHTTP
internal import TapedeckRecording
package import TapedeckSockets

extension ProxyServer {
  /// Why a logged request cannot be sent to the origin; `nil` if it can.
  package func forwardingObstacle(of session: Session) -> String? {
    guard configuration.upstream != nil else {
      return "only a proxy with one --upstream URL forwards a request on its own"
    }
    return inserted(for: session).mode == .none ? "the mode is none, in which no origin is asked" : nil
  }

  /// Sends a logged request to the origin once more, past overrides and cassette. Nothing is recorded.
  /// - Parameter onEnd: called on the loop's thread with the response, without secrets, or why there is none.
  package func forward(
    _ entry: RequestLogEntry, of session: Session, on loop: EventLoop,
    onEnd:
      @escaping (_ response: ShownMessage?, _ status: Int, _ problem: String, _ milliseconds: Double) -> Void
  ) throws {
    let redaction = inserted(for: session).matcher.redaction
    try send(entry, of: session, on: loop) { _, result in
      switch result?.outcome {
      case .response(let response)?:
        let interaction = Interaction(request: entry.request, response: response)
        let shown: RecordedResponse = redaction.redacted(interaction).0.response
        onEnd(
          ShownMessage(shown.head.fields, shown.body), shown.head.status, "",
          result?.durationMilliseconds ?? 0)
      case .failed(let problem)?: onEnd(nil, 0, problem, result?.durationMilliseconds ?? 0)
      case nil: onEnd(nil, 0, "no response came", 0)
      }
    }
  }

  /// - Parameter onEnd: called on the loop's thread with the request as it was sent, and what came of it.
  func send(
    _ entry: RequestLogEntry, of session: Session, on loop: EventLoop,
    onEnd: @escaping (HTTPRequest, UpstreamBatch.Result?) -> Void
  ) throws {
    let request =
      inserted(for: session).requestRewriter(for: entry.request)?.forwarded(
        entry.request, from: entry.request)
      ?? entry.request
    try UpstreamBatch(configuration).send(request, on: loop) { onEnd(request, $0) }
  }
}
