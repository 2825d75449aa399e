/// An interaction of a cassette, with its name, its place among the answers to its key, and what its files are.
struct FileInteraction {
  var name: String
  /// From 1; what the name says.
  var ordinal: Int
  var interaction: Interaction
  var key: MatchKey
  /// The files in `bodies/` it refers to.
  var bodyNames: [String]
  /// About what it takes in memory.
  var bytes: Int
}
