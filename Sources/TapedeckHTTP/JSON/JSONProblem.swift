/// Where a value stands in a JSON document.
package struct JSONPlace: Sendable {
  private indirect enum Path: Sendable {
    case document
    case member(Path, String)
    case element(Path, Int)
  }

  private let path: Path

  package static let document = JSONPlace(path: .document)

  private init(path: Path) { self.path = path }

  package func member(_ name: String) -> JSONPlace { JSONPlace(path: .member(path, name)) }

  package func element(_ index: Int) -> JSONPlace { JSONPlace(path: .element(path, index)) }

  /// As in `response.headers[3]`; empty for the document itself.
  package var text: String { Self.text(path) }

  private static func text(_ path: Path) -> String {
    switch path {
    case .document: ""
    case .member(.document, let name): name
    case .member(let outer, let name): "\(text(outer)).\(name)"
    case .element(let outer, let index): "\(text(outer))[\(index)]"
    }
  }

  package func problem(_ text: String) -> JSONProblem { JSONProblem(self, .other(text)) }
}

/// A JSON value that is not what its reader needs, as opposed to text that is not JSON (`JSONError`).
package struct JSONProblem: Error, Equatable {
  package enum Kind: Equatable {
    case expected(Shape)
    /// The place is that of the object; `known` are the names it may have.
    case unknown(String, known: [String])
    case repeated(String)
    case missing(String)
    case other(String)
  }

  package enum Shape: Equatable {
    case string, bool, array, object
    case wholeNumber(ClosedRange<Int>)
    case number(ClosedRange<Double>)
  }

  /// As `JSONPlace.text` has it.
  package let place: String
  package let kind: Kind

  package init(_ place: JSONPlace, _ kind: Kind) {
    self.place = place.text
    self.kind = kind
  }
}

extension JSONProblem {
  /// What is wrong, in the words of cassette files.
  package var text: String {
    switch kind {
    case .expected(let shape): "\(shape) is expected here"
    case .unknown(let name, let known):
      "unknown member `\(name)`; known are \(known.map { "`\($0)`" }.joined(separator: ", "))"
    case .repeated(let name): "the member `\(name)` stands here twice"
    case .missing(let name): "the member `\(name)` is missing"
    case .other(let text): text
    }
  }
}

extension JSONProblem.Shape: CustomStringConvertible {
  package var description: String {
    switch self {
    case .string: "a string"
    case .bool: "true or false"
    case .array: "an array"
    case .object: "an object"
    case .wholeNumber(0...(.max)): "a whole number"
    case .wholeNumber(let range):
      "a whole number from \(range.lowerBound)"
        + (range.upperBound == .max ? " on" : " to \(range.upperBound)")
    case .number(let range): "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    }
  }

  private static func text(_ number: Double) -> String {
    JSONNumber(number).map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
  }
}
