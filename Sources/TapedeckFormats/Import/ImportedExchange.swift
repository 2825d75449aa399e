public import TapedeckRecording

/// An exchange from a file of another tool, and whom it was with.
public struct ImportedExchange: Sendable, Equatable {
  /// The origin as a URL in its shortest form, like `https://api.example.com`; empty where the file names none.
  public var origin: String
  public var interaction: Interaction

  public init(origin: String, interaction: Interaction) {
    self.origin = origin
    self.interaction = interaction
  }
}
