/// The formats of other tools that a cassette can be written in, beside HAR.
public enum ExportFormat: String, Sendable, CaseIterable {
  case vcr, vcrpy, wiremock, hoverfly
}
