/// How much of anything a cassette may hold, in one place: beyond it there is an error, never growth. Each limit names
/// its precedent; what is measured in bytes is a whole number of them.
package enum CassetteLimits {
  /// Interactions of one cassette, in files and in the journal: more than twice the files of the largest work trees
  /// people keep in git.
  static let interactions = 1_000_000
  /// Memory that loading may take, for files and the bodies they refer to: protobuf's limit for a message.
  static let loadedBytes = 2 << 30
  /// An interaction file or a manifest, refused unread: half of git's `core.bigFileThreshold`.
  package static let fileBytes = 256 << 20
  /// A line of the journal: MySQL's `max_allowed_packet`.
  static let journalLineBytes = 64 << 20
  /// A body in a file of its own: the limit of one PUT to S3.
  static let bodyFileBytes = 5 << 30
  /// Chunks of one response, which are held as numbers.
  static let chunks = 4 << 20
  /// A file of another tool, which is read as one: far above what browsers write before they stop.
  package static let importedBytes = 1 << 30
}
