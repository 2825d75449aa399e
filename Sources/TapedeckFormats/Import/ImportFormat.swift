package import TapedeckHTTP

/// The files of other tools that can be read, by the names the command knows them by.
public enum ImportFormat: String, Sendable, CaseIterable {
  case har, vcr, vcrpy, wiremock, hoverfly
}

extension ImportFormat {
  /// What a JSON document is, by the members that only one of the tools writes; nil for none of them.
  package static func detect(_ document: JSONValue) -> ImportFormat? {
    if HARReader.isHAR(document) { return .har }
    if document["http_interactions"] != nil { return .vcr }
    if document["interactions"] != nil { return .vcrpy }
    if document["data"]?["pairs"] != nil { return .hoverfly }
    if document["mappings"] != nil || WireMockReader.isMapping(document) { return .wiremock }
    return nil
  }
}
