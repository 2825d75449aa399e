import TapedeckHTTP

/// An interaction as a cassette is loaded with it: checked, and of the answer only as much as is asked for.
package struct LoadedAnswer {
  package enum Source {
    /// In memory.
    case held(Interaction)
    /// In the file, which is known by this.
    case file(ContentFingerprint)
  }

  var name: String
  var outline: InteractionOutline
  var key: MatchKey
  var source: Source
  /// About what it takes in memory when it has been asked for.
  var bytes: Int
}

extension LoadedAnswer {
  package init(_ stored: FileInteraction, source: Source? = nil) {
    self.init(
      name: stored.name, outline: InteractionOutline(stored.interaction), key: stored.key,
      source: source ?? .held(stored.interaction), bytes: stored.bytes)
  }
}
