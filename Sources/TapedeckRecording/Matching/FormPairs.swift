import TapedeckHTTP

/// The pairs of a query or form (WHATWG URL §5.1); `+` is a blank, a `%` without two hex digits is literal.
package struct FormPairs {
  package struct Pair: Equatable {
    package var name: [UInt8]
    package var value: [UInt8]
  }

  /// In their original order.
  package var pairs: [Pair]

  package init(_ text: ArraySlice<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { piece in
      let equals = piece.firstIndex(of: UInt8(ascii: "="))
      return Pair(
        name: PercentCoding.decode(piece[..<(equals ?? piece.endIndex)], plusIsSpace: true),
        value: equals.map { PercentCoding.decode(piece[($0 + 1)...], plusIsSpace: true) } ?? [])
    }
  }

  var sorted: [Pair] {
    pairs.sorted { left, right in
      left.name == right.name
        ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
    }
  }
}
