package indirect enum JSONPlace: Sendable {
  case document
  case inMember(JSONPlace, String)
  case inElement(JSONPlace, Int)

  package func member(_ name: String) -> JSONPlace { .inMember(self, name) }

  package func element(_ index: Int) -> JSONPlace { .inElement(self, index) }

  /// For example `response.headers[3]`; empty for the document itself.
  package var text: String {
    switch self {
    case .document: ""
    case .inMember(.document, let name): name
    case .inMember(let outer, let name): "\(outer.text).\(name)"
    case .inElement(let outer, let index): "\(outer.text)[\(index)]"
    }
  }

  package func problem(_ text: String) -> JSONProblem { JSONProblem(self, .other(text)) }
}

/// A valid JSON value that its reader cannot use; `JSONError` is for invalid JSON.
package struct JSONProblem: Error, Equatable {
  package enum Kind: Equatable {
    case expected(Shape)
    /// The place is the object's; `known` are the names it may have.
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

  /// In the form of `JSONPlace.text`.
  package let place: String
  package let kind: Kind

  package init(_ place: JSONPlace, _ kind: Kind) {
    self.place = place.text
    self.kind = kind
  }
}

extension JSONProblem {
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
