/// An interaction of a cassette, with its name, its place among the answers to its key, and what its files are.
package struct FileInteraction {
  package var name: String
  /// From 1; what the name says.
  var ordinal: Int
  package var interaction: Interaction
  var key: MatchKey
  /// The files in `bodies/` it refers to.
  package var bodyNames: [String]
  /// About what it takes in memory.
  var bytes: Int

  package init(
    name: String, ordinal: Int, interaction: Interaction, key: MatchKey, bodyNames: [String], bytes: Int
  ) {
    self.name = name
    self.ordinal = ordinal
    self.interaction = interaction
    self.key = key
    self.bodyNames = bodyNames
    self.bytes = bytes
  }
}
