internal import TapedeckHTTP
internal import TapedeckMocking

/// Applies patches to the messages of one WebSocket, one after the other. A message that no edit fits stays as it is.
final class MessagePatching: MessageEffect {
  private typealias Insertion = (message: WebSocketMessage, pause: Int64)

  private let acting: [(rule: RequestRule<Patch>, generator: SplitMix64)]
  private let patching: Patching
  private let request: HTTPRequest
  private var generators: [SplitMix64]
  /// The numbers of messages of each side so far.
  private var counts = (client: 0, server: 0)
  /// What could not be done, by the index of the rule; each only once.
  private var problems: [Int: [String]] = [:]
  /// The indices of the rules that changed something.
  private var acted: Set<Int> = []

  /// - Parameter acting: the rules with edits of messages, and the source of their random choices.
  init(
    _ acting: [(rule: RequestRule<Patch>, generator: SplitMix64)], _ patching: Patching,
    of request: HTTPRequest
  ) {
    (self.acting, self.patching, self.request) = (acting, patching, request)
    generators = acting.map(\.generator)
  }

  func steps(for message: WebSocketMessage, from side: WebSocketReader.Side) -> [MessageStep] {
    let number = count(side)
    var changed = message
    var (before, after): ([Insertion], [Insertion]) = ([], [])
    var (isDropped, close): (Bool, DeclaredClose?) = (false, nil)
    for (index, (rule, _)) in acting.enumerated() {
      for edit in rule.effect.messages {
        let asked = asked(changed)
        guard edit.fits(asked, from: side, number: number) else { continue }
        before += inserted(edit.before, edit, asked, to: changed, by: index)
        after += inserted(edit.after, edit, asked, to: changed, by: index)
        isDropped = isDropped || edit.drops
        close = close ?? edit.close
        if let edited = self.edited(changed, by: edit, of: index) { changed = edited }
        if edit.changesStream { acted.insert(index) }
      }
    }
    let itself: [Insertion] = isDropped ? [] : [(message: changed, pause: Int64(0))]
    return Self.steps(before + itself + after, close)
  }

  private func count(_ side: WebSocketReader.Side) -> Int {
    switch side {
    case .client:
      counts.client += 1
      return counts.client
    case .server:
      counts.server += 1
      return counts.server
    }
  }

  /// The pause of a message counts from the one before it.
  private static func steps(_ messages: [Insertion], _ close: DeclaredClose?) -> [MessageStep] {
    var steps: [MessageStep] = []
    var time: Int64 = 0
    for (message, pause) in messages {
      time += pause
      steps.append(.pass(message, afterNanoseconds: time))
    }
    return steps + (close.map { [.close($0)] } ?? [])
  }

  /// The request with a message as its body, for conditions and templates.
  private func asked(_ message: WebSocketMessage) -> OverrideRequest {
    var asked = request
    asked.body = message.bytes ?? []
    return OverrideRequest(asked)
  }

  private func inserted(
    _ messages: [DeclaredMessage], _ edit: MessageEdit, _ asked: OverrideRequest,
    to message: WebSocketMessage,
    by index: Int
  ) -> [Insertion] {
    guard !messages.isEmpty else { return [] }
    let values = edit.values(asked)
    return messages.map {
      ($0.rendered(values, to: message), $0.delay?.nanoseconds(using: &generators[index]) ?? 0)
    }
  }

  /// The message with other content; `nil` if it stays as it is.
  private func edited(
    _ message: WebSocketMessage, by edit: MessageEdit, of index: Int
  ) -> WebSocketMessage? {
    guard !edit.json.isEmpty || !edit.replacements.isEmpty, let bytes = message.bytes else { return nil }
    var body = BodyPatching(bytes, fields: HTTPFields())
    let problems = body.apply(edit)
    for problem in problems where self.problems[index]?.contains(problem) != true {
      self.problems[index, default: []].append(problem)
      patching.note(problem, on: acting[index].rule)
    }
    if problems.count < edit.json.count + edit.replacements.count { acted.insert(index) }
    guard let content = body.finish() else { return nil }
    if case .text = message { return .text(content) }
    return .binary(content)
  }

  func ended(wasOpen: Bool) {
    guard wasOpen else { return patching.noteNoWebSocket() }
    for (index, (rule, _)) in acting.enumerated() where !acted.contains(index) {
      patching.noteUnchanged(rule, because: problems[index] == nil ? "no message fits" : nil)
    }
  }
}
