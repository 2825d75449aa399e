/// One parser and the law that holds for it, whatever bytes it is given: a trap, a hang or a broken law is a defect.
///
/// The fuzzer (`Tools/fuzz`) asks with inputs of its own making, the tests with every input that stands in `Corpus`.
/// A new target is a law and a line in `all`, and a folder of seeds in `Corpus`.
struct FuzzTarget: Sendable {
  /// As given to `Tools/fuzz`, and the name of the folder of seeds.
  var name: String
  /// Throws when the law does not hold for these bytes.
  var check: @Sendable ([UInt8]) throws(BrokenLaw) -> Void

  static let all = [
    FuzzTarget(name: "request", check: RequestLaw.check),
    FuzzTarget(name: "hello", check: HelloLaw.check),
    FuzzTarget(name: "response", check: ResponseLaw.check),
    FuzzTarget(name: "chunks", check: ChunkLaw.check),
    FuzzTarget(name: "websocket", check: WebSocketLaw.check),
    FuzzTarget(name: "events", check: EventLaw.check),
    FuzzTarget(name: "interaction", check: InteractionLaw.check),
    FuzzTarget(name: "journal", check: JournalLaw.check),
    FuzzTarget(name: "json", check: JSONLaw.check),
    FuzzTarget(name: "names", check: NamesLaw.check),
    FuzzTarget(name: "matching", check: MatchingLaw.check),
    FuzzTarget(name: "redactor", check: RedactorLaw.check),
    FuzzTarget(name: "patterns", check: PatternLaw.check),
    FuzzTarget(name: "overrides", check: OverridesLaw.check),
    FuzzTarget(name: "har", check: ImportLaw.check),
    FuzzTarget(name: "yaml", check: YAMLLaw.check),
  ]
}

/// What did not hold.
struct BrokenLaw: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless `holds`.
func require(_ holds: Bool, _ law: @autoclosure () -> String) throws(BrokenLaw) {
  if !holds { throw BrokenLaw(law()) }
}
