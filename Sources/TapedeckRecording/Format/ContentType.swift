package import TapedeckHTTP

package struct ContentType: Equatable {
  /// In lower case; empty when there is none.
  package let essence: String
  private let parameters: String

  package init(_ fields: HTTPFields) {
    let value =
      fields.first("content-type").map { $0.map(ASCII.lowercased).filter { !ASCII.isBlank($0) } } ?? []
    let parts = value.split(separator: UInt8(ascii: ";"), maxSplits: 1)
    essence = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rest = parts.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    // A boundary is new in each message.
    parameters = essence.hasPrefix("multipart/") ? "" : rest
  }

  /// As `MediaType` decides; a body without a type is not examined.
  package var isJSON: Bool {
    essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
  }

  package var text: String? {
    essence.isEmpty ? nil : parameters.isEmpty ? essence : "\(essence); \(parameters)"
  }
}
