/// What becomes of secrets that redaction has left in a recording, when it is about to be sealed.
public enum SecretPolicy: Sendable {
  /// They are sealed and told.
  case tell
  /// Nothing is sealed, and the journal waits; so it does at every later start, until they are hidden or kept.
  case refuse
  /// What can be hidden is; what is left is told, or refused where the journal says so.
  case hide
}
