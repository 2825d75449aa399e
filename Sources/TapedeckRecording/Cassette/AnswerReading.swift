/// When the answers of a cassette are read.
public enum AnswerReading: Sendable {
  /// When the cassette is loaded: they are held, whatever becomes of its files.
  case atOnce
  /// Checked when the cassette is loaded, and read from their files when they are first asked for.
  case whenAsked
}
