/// When the answers of a cassette are read.
public enum AnswerReading: Sendable {
  /// When the cassette is loaded: they are held, whatever becomes of its files.
  case atOnce
  /// Checked when the cassette is loaded, and read from their files when they are first asked for; those of up to so many
  /// files at once, since they cost next to nothing to hold.
  case whenAsked(above: Int)
}
