/// Selects places in JSON documents, in a subset of RFC 9535: `$`, then `.name`, `['name']`, `[2]`, `[-1]`,
/// `.*` or `[*]`, each also after `..` for any depth. Deliberately lacks unions, slices and filters.
///
/// Selects each place once, in document order, and all of several members with the same name.
public struct JSONPath: Sendable, Hashable {
  struct Step: Sendable, Hashable {
    enum Selector: Sendable, Hashable {
      /// Members with this decoded name.
      case name([UInt8])
      /// An element; a negative index counts from the end.
      case index(Int)
      /// All members or elements.
      case wildcard
    }

    var selector: Selector
    var descends: Bool
  }

  /// The bits of a cursor's state, less one for the end.
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

  /// The path with `[*]` for every index: `$.items[*].id` for `$.items[3].id`.
  package var generalized: JSONPath {
    JSONPath(
      steps: steps.map { step in
        guard case .index = step.selector else { return step }
        return Step(selector: .wildcard, descends: step.descends)
      })
  }

  /// The path without its last step; `nil` for the root.
  public var parent: JSONPath? { steps.isEmpty ? nil : JSONPath(steps: steps.dropLast()) }

  var lastName: [UInt8]? {
    guard let last = steps.last, !last.descends, case .name(let name) = last.selector else { return nil }
    return name
  }
}

/// The path in its shortest form: `$.user.name`, `$.items[2]`, `$["a b"]`, `$..id`.
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
  /// The step to a member: `.name`, or `["name"]` if the name is not a plain word.
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

/// Why a text is not a JSON path, and where.
public struct JSONPathError: Error, Equatable, CustomStringConvertible {
  let text: String
  let problem: String
  /// In characters, from 1.
  let position: Int

  public var description: String {
    "\(text.debugDescription) is no JSON path: \(problem) (character \(position))"
  }
}
