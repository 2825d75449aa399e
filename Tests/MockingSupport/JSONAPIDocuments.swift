import Foundation
package import TapedeckHTTP
package import TapedeckMocking
import Testing

/// Where the documents that tests see are left, for `Tests/EndToEnd/test_jsonapi.py` to hold against the schema.
private let folder = ProcessInfo.processInfo.environment["TAPEDECK_JSONAPI_DOCUMENTS"].map {
  URL(filePath: $0, directoryHint: .isDirectory)
}

/// A JSON:API document as it was written. Every document that a test sees goes through here.
package func document(_ bytes: [UInt8]) throws -> JSONValue {
  let json = try JSONValue(parsing: bytes)
  if let folder {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: folder.appending(path: "\(name(of: bytes)).json"), options: .atomic)
  }
  return json
}

/// The document of a value that stands for one.
package func document(_ value: any Serializable) throws -> JSONValue {
  try document(try #require(try value.jsonBytes()))
}

/// By the content, FNV-1a, so that tests side by side do not meet.
private func name(of bytes: [UInt8]) -> String {
  String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
}

extension JSONValue {
  package var names: [String] { members?.map(\.name.text) ?? [] }

  /// `type/id` of each resource or identifier.
  package var identities: [String] {
    (array ?? [self]).map { "\($0["type"]?.text ?? "?")/\($0["id"]?.text ?? "?")" }
  }
}
