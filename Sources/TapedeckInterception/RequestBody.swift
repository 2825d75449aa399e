internal import Foundation

/// A body as a client gave it.
enum RequestBody {
  case data(Data)
  case file(URL)
  case stream(InputStream)

  /// Nil for what is none of these.
  init?(_ value: Any?) {
    switch value {
    case let data as Data: self = .data(data)
    case let data as DispatchData: self = .data(Data(data))
    case let url as URL: self = .file(url)
    case let stream as InputStream: self = .stream(stream)
    default: return nil
    }
  }

  /// All of it. Reading may wait: not for a queue that others need.
  func read() throws -> [UInt8] {
    switch self {
    case .data(let data): Array(data)
    case .file(let url): Array(try Data(contentsOf: url))
    case .stream(let stream): try Self.read(stream)
    }
  }

  private static func read(_ stream: InputStream) throws -> [UInt8] {
    stream.open()
    defer { stream.close() }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
