internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction

/// The policy before the chain; and what logs may show of a request.
final class PolicyResponder: Responder {
  private let chain: any Responder
  private let tape: LoopCache<CassetteSlot>
  private let listener: ListenerNames
  private let isLogged: Bool
  private let namesOptions: Bool
  private let refusals: RefusalNotices

  init(
    before chain: any Responder, tape: LoopCache<CassetteSlot>, listener: ListenerNames, isLogged: Bool,
    namesOptions: Bool, refusals: RefusalNotices
  ) {
    self.chain = chain
    self.tape = tape
    self.listener = listener
    self.isLogged = isLogged
    self.namesOptions = namesOptions
    self.refusals = refusals
  }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    var answer = try answer(to: request)
    guard isLogged else { return answer }
    let redaction = tape.current.matcher.redaction
    if redaction.mayHide(request) { answer?.shownTarget = redaction.comparable(request).target }
    return answer
  }

  private func answer(to request: HTTPRequest) throws -> ServedResponse? {
    if request.isAbsoluteForm, let refusal = misdirected(request) { return refuse(refusal) }
    guard RequestPolicy.concerns(request) else { return try chain.respond(to: request) }
    return switch RequestPolicy.verdict(on: request) {
    case .pass(let request): try chain.respond(to: request)
    case .answer(let response) where response.head.status == 501: refuse(response)
    case .answer(let response): ServedResponse(.response(response), by: .server)
    }
  }

  /// RFC 9110 §15.5.20: a client that takes us for a forward proxy must not get one host's response for another's. Only
  /// an absolute-form target says so; `Host` alone is what clients of a reverse proxy get wrong all the time.
  private func misdirected(_ request: HTTPRequest) -> HTTPResponse? {
    let tape = tape.current
    let named = AuthorityName(request.authority)
    guard !tape.matcher.rules.parts.contains(.host), !tape.origins.contains(named), !listener.contains(named)
    else { return nil }
    return RequestPolicy.problem(421, detail(request, origins: tape.origins))
  }

  private func detail(_ request: HTTPRequest, origins: [AuthorityName]) -> String {
    let asked = String(decoding: request.authority, as: UTF8.self)
    let known = origins.prefix(3).map { "\($0)" }.joined(separator: " or ")
    let origin = known.isEmpty ? "; it has no origin" : ", whose origin is \(known)"
    let setting = namesOptions ? "--match host" : "ProxyConfiguration.match with host"
    return "the request is for \(asked), not for this proxy\(origin); "
      + "\(setting) accepts requests for any host and compares the host too"
  }

  /// The log line says why, or a notice where there is no log.
  private func refuse(_ response: HTTPResponse) -> ServedResponse {
    if !isLogged, let failure = response.failure {
      refusals.tell("\(response.head.status): \(failure.detail)")
    }
    return ServedResponse(.response(response), by: .server)
  }
}
