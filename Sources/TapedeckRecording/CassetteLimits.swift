/// The limits of a cassette; exceeding one is an error. Each names its precedent.
package enum CassetteLimits {
  /// Interactions of a cassette: more than twice the files of the largest git work trees.
  static let interactions = 1_000_000
  /// Memory for loaded files and the bodies they refer to: protobuf's limit for a message.
  static let loadedBytes = 2 << 30
  /// An interaction file or a manifest, checked before reading: half of git's `core.bigFileThreshold`.
  package static let fileBytes = 256 << 20
  /// A line of the journal: MySQL's `max_allowed_packet`.
  static let journalLineBytes = 64 << 20
  /// A body in a file of its own: the limit of one PUT to S3.
  static let bodyFileBytes = 5 << 30
  /// Chunks of one response, which are held as numbers.
  static let chunks = 4 << 20
  /// A file of another tool, read as a whole: far above what browsers write.
  package static let importedBytes = 1 << 30
}
