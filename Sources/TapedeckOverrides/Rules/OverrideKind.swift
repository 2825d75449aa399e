/// The kinds of rules that an overrides file and the admin API declare, in their words.
public enum OverrideKind: String, CaseIterable, Sendable {
  /// Answers of their own.
  case routes
  /// Collections served by a store.
  case resources
  /// Changes to what the rest of the chain answers, recorded or live.
  case patches
  /// What goes wrong on the way to the client, whoever answers.
  case faults
}
