internal import Foundation
internal import FoundationNetworking

/// What Foundation on Linux knows of a task and tells nobody: the queue on which the task and its protocol live, its
/// session, and the body of an upload. It is read by reflection; where Foundation changes, it is missing, and the tests
/// of uploads and streams say so.
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

  /// What a case of an enumeration carries.
  private static func content(of value: Any) -> Any? { Mirror(reflecting: value).children.first?.value }

  /// Whether the task's owner gets the body bit by bit, by a delegate. A closure gets all at once, and of several pieces
  /// Foundation would give it the last one. To be asked on the task's queue.
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
