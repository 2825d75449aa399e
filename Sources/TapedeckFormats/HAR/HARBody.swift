import TapedeckHTTP
import TapedeckRecording

/// Bodies and texts on their way into a HAR.
enum HARBody {
  /// All of a body, wherever it is.
  static func bytes(_ body: RecordedBody) throws(CassetteError) -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .file(let file):
      let bytes = try file.open().bytes(at: 0, count: file.size)
      guard bytes.count == file.size else {
        throw .invalidBody(
          file: file.directory.path, body: file.name, problem: "became shorter while it was read")
      }
      return bytes
    }
  }

  /// A body as text; nil when it is none.
  static func text(_ body: [UInt8]) -> JSONValue? {
    guard body.allSatisfy(ASCII.isText) else { return nil }
    return JSONString(utf8: body[...]).map { .string($0) }
  }

  static func mediaType(_ fields: HTTPFields) -> String { fields.text("content-type") ?? "" }

  static func lossyText(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
