internal import TapedeckHTTP

/// Applies patches to the events of a stream, one after the other. An event that no edit fits stays as it is, byte for
/// byte, and so does what stands between events.
struct EventPatching {
  private let rules: [RequestRule<Patch>]
  private let form: EventStreamForm
  private var reader: EventStreamReader
  /// The number of events so far.
  private var number = 0
  /// What could not be done, by the index of the rule; each only once.
  private(set) var problems: [Int: [String]] = [:]
  /// The indices of the rules that changed something.
  private(set) var acted: Set<Int> = []
  /// Whether the stream ends here.
  private(set) var isCut = false
  /// Whether an event is too large to be held; from there on the stream is unchanged.
  private(set) var isTooLarge = false

  /// Declared events of patches have no templates.
  private static var noValues: RequestValues {
    RequestValues(
      request: OverrideRequest(HTTPRequest(.get, "/")), components: [:])
  }

  init(_ rules: [RequestRule<Patch>], _ form: EventStreamForm) {
    self.rules = rules
    self.form = form
    reader = EventStreamReader(form)
  }

  /// The events that these bytes complete, as they are sent.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    if isCut { return [] }
    if isTooLarge { return [Array(bytes)] }
    reader.append(bytes)
    var out: [[UInt8]] = []
    while !isCut, let event = reader.next() { out += changed(event) }
    if !isCut, reader.heldCount > Patching.maximumHeldBytes, let rest = reader.finish() {
      isTooLarge = true
      out.append(rest.bytes)
    }
    return out
  }

  /// What is left at the end of the stream.
  mutating func finish() -> [[UInt8]] {
    guard !isCut, let rest = reader.finish() else { return [] }
    return changed(rest)
  }

  private mutating func changed(_ event: StreamEvent) -> [[UInt8]] {
    guard event.data != nil else { return [event.bytes] }
    number += 1
    var event = event
    var isDropped = false
    var (before, after): ([[UInt8]], [[UInt8]]) = ([], [])
    for (index, rule) in rules.enumerated() {
      for edit in rule.effect.events where edit.fits(event, number: number) {
        before += edit.before.map { $0.bytes(form, Self.noValues) }
        after += edit.after.map { $0.bytes(form, Self.noValues) }
        isDropped = isDropped || edit.drops
        isCut = isCut || edit.cuts
        var body = BodyPatching(event.data ?? [], fields: HTTPFields())
        let problems = body.apply(edit)
        if let data = body.finish() { event = event.replacing(data: data) }
        for problem in problems where self.problems[index]?.contains(problem) != true {
          self.problems[index, default: []].append(problem)
        }
        if problems.count < edit.json.count + edit.replacements.count || edit.changesStream {
          acted.insert(index)
        }
      }
    }
    return before + (isDropped ? [] : [event.bytes]) + after
  }
}

extension EventEdit {
  /// Whether it changes more than the data of an event.
  fileprivate var changesStream: Bool { drops || cuts || !before.isEmpty || !after.isEmpty }
}
