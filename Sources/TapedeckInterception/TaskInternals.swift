internal import Foundation
internal import FoundationNetworking

/// Private state of a Foundation task on Linux: the queue of the task and its protocol, its session, and the
/// body of an upload. It is read by reflection; if Foundation changes, it is missing, and the tests of
/// uploads and streams fail.
struct TaskInternals {
  private(set) var queue: DispatchQueue?
  private(set) var session: URLSession?
  private(set) var body: RequestBody?

  init(_ task: URLSessionTask?) {
    var mirror = task.map { Mirror(reflecting: $0) }
    while let current = mirror {
      for child in current.children { read(child) }
      mirror = current.superclassMirror
    }
  }

  private mutating func read(_ child: Mirror.Child) {
    switch child.label {
    case "workQueue": queue = child.value as? DispatchQueue
    case "session": session = Self.unwrapped(child.value) as? URLSession
    case "knownBody": body = RequestBody(Self.content(of: Self.unwrapped(child.value)))
    default: break
    }
  }

  private static func unwrapped(_ value: Any) -> Any {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional, let content = mirror.children.first?.value else { return value }
    return content
  }

  private static func content(of value: Any) -> Any? { Mirror(reflecting: value).children.first?.value }

  /// Whether a delegate receives the body in pieces. A closure needs it in one piece, because Foundation
  /// would pass only the last of several. Call this on the task's queue.
  func wantsPieces(_ task: URLSessionTask?) -> Bool {
    guard let task, let session, (task.delegate ?? session.delegate) is any URLSessionDataDelegate,
      let registry = Mirror(reflecting: session).children.first(where: { $0.label == "taskRegistry" }),
      let behaviours = Mirror(reflecting: registry.value).children.first(where: { $0.label == "behaviours" })
    else { return false }
    for case (_, let pair as (key: Int, value: Any)) in Mirror(reflecting: behaviours.value).children
    where pair.key == task.taskIdentifier {
      return "\(pair.value)".hasSuffix("callDelegate")
    }
    return false
  }
}

enum RequestBody {
  case data(Data)
  case file(URL)
  case stream(InputStream)

  init?(_ value: Any?) {
    switch value {
    case let data as Data: self = .data(data)
    case let data as DispatchData: self = .data(Data(data))
    case let url as URL: self = .file(url)
    case let stream as InputStream: self = .stream(stream)
    default: return nil
    }
  }

  /// The whole body. Reading may block, so it must not happen on a shared queue.
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
