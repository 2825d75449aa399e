internal import TapedeckHTTP
internal import TapedeckProxy

/// Sends a logged request to the origin, and responds with what came back once it has come.
final class ForwardedRequest: ResponseSource {
  private let entry: RequestLogEntry
  private let session: Session
  private let context: AdminContext
  private var sink: (any ResponseSink)?

  init(_ entry: RequestLogEntry, of session: Session, _ context: AdminContext) {
    self.entry = entry
    self.session = session
    self.context = context
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    do {
      try context.proxy.forward(entry, of: session, on: context.loop) { [self] in
        finish(Self.response($0, $1, $2, $3))
      }
    } catch {
      finish(AdminProblem(409, "\(error)").response)
    }
  }

  func resume() {}
  func cancel() { sink = nil }

  private static func response(
    _ message: ShownMessage?, _ status: Int, _ problem: String, _ milliseconds: Double
  ) -> HTTPResponse {
    guard let message else { return AdminProblem(502, problem).response }
    return .json([
      "status": JSONValue(status), "milliseconds": JSONValue(milliseconds), "response": message.json,
    ])
  }

  private func finish(_ response: HTTPResponse) {
    guard let sink else { return }
    self.sink = nil
    var response = response
    response.head.preventCaching()
    response.send(into: sink, to: .post)
  }
}
