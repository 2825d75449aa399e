/// Names places in JSON documents, in a subset of RFC 9535: `$`, then `.name`, `['name']`, `[2]`, `[-1]`, `.*` or
/// `[*]`, each also after `..`, which reaches any depth.
///
/// A path selects each place once, in the order of the document. Where an object has several members of one name, all
/// are selected. Lacks on purpose: lists and ranges in brackets, and filters.
public struct JSONPath: Sendable, Hashable {
  /// One step down.
  struct Step: Sendable, Hashable {
    enum Selector: Sendable, Hashable {
      /// Members of this decoded name.
      case name([UInt8])
      /// An element; a negative one counts from the end.
      case index(Int)
      /// All members or elements.
      case wildcard
    }

    var selector: Selector
    /// Whether any number of levels may lie before it.
    var descends: Bool
  }

  /// As many as the bits in which a cursor keeps its positions, less one for the end.
  static let maximumSteps = 63

  let steps: [Step]

  init(steps: [Step]) { self.steps = steps }

  /// Reads a path. Throws what is wrong with it, and where.
  public init(_ text: String) throws(JSONPathError) {
    var reader = JSONPathReader(text)
    self.init(steps: try reader.path())
  }

  /// The document itself.
  public static let root = JSONPath(steps: [])

  /// The same place in every element of the arrays on the way: `$.items[*].id` for `$.items[3].id`.
  package var generalized: JSONPath {
    JSONPath(
      steps: steps.map { step in
        guard case .index = step.selector else { return step }
        return Step(selector: .wildcard, descends: step.descends)
      })
  }

  /// What stands before the last step; nil for the root.
  public var parent: JSONPath? { steps.isEmpty ? nil : JSONPath(steps: steps.dropLast()) }

  /// The last step, when it names a member in one place, so that a missing one could be added.
  var lastName: [UInt8]? {
    guard let last = steps.last, !last.descends, case .name(let name) = last.selector else { return nil }
    return name
  }
}

/// The path in its shortest spelling: `$.user.name`, `$.items[2]`, `$["a b"]`, `$..id`.
extension JSONPath: CustomStringConvertible {
  public var description: String { "$" + steps.map(\.description).joined() }
}

extension JSONPath.Step: CustomStringConvertible {
  var description: String {
    let text = JSONPath.text(of: selector)
    guard descends else { return text }
    return text.hasPrefix(".") ? "." + text : ".." + text
  }
}

extension JSONPath {
  /// How the step to a member is written: `.name`, or `["name"]` where the name is no plain word.
  package static func text(ofMember name: [UInt8]) -> String { text(of: .name(name)) }

  fileprivate static func text(of selector: Step.Selector) -> String {
    switch selector {
    case .wildcard: "[*]"
    case .index(let index): "[\(index)]"
    case .name(let name):
      isPlain(name)
        ? "." + String(decoding: name, as: UTF8.self)
        : "[\"\(String(decoding: JSONString.escaped(name[...]), as: UTF8.self))\"]"
    }
  }

  /// RFC 9535 §2.5.1.1, `member-name-shorthand`.
  private static func isPlain(_ name: [UInt8]) -> Bool {
    guard let first = name.first, !ASCII.isDigit(first) else { return false }
    return name.allSatisfy(isNameByte) && UTF8Scan.isValid(name[...])
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26
  }
}

/// Why a text is no JSON path, and where.
public struct JSONPathError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case noRoot
    case unexpectedEnd(expected: String)
    case unexpected(Character, expected: String)
    case invalidEscape
    case invalidIndex
    case unsupported(String)
    case tooLong(limit: Int)
  }

  public var text: String
  public var reason: Reason
  /// In characters, from 1.
  public var position: Int
}

extension JSONPathError: CustomStringConvertible {
  public var description: String {
    "\(text.debugDescription) is no JSON path: \(reason) (character \(position))"
  }
}

extension JSONPathError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRoot: "it begins with $, like $.user.name"
    case .unexpectedEnd(let expected): "it ends where \(expected) is expected"
    case .unexpected(let character, let expected):
      "\(String(character).debugDescription) stands where \(expected) is expected"
    case .invalidEscape: "unknown escape"
    case .invalidIndex: "an index is a number like 0, 12 or -1"
    case .unsupported(let what): "\(what) are not supported"
    case .tooLong(let limit): "more than \(limit) steps"
    }
  }
}
