import TapedeckHTTP

/// The name-value pairs of a query or a form (WHATWG URL §5.1): cut at `&`, then at the first `=`; `+` is a blank and
/// `%XX` a byte, and a `%` that begins no such thing stays as written.
package struct FormPairs {
  package struct Pair: Equatable {
    package var name: [UInt8]
    package var value: [UInt8]
  }

  /// In the order they came.
  package var pairs: [Pair]

  package init(_ text: ArraySlice<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { piece in
      let equals = piece.firstIndex(of: UInt8(ascii: "="))
      return Pair(
        name: PercentCoding.decode(piece[..<(equals ?? piece.endIndex)], plusIsSpace: true),
        value: equals.map { PercentCoding.decode(piece[($0 + 1)...], plusIsSpace: true) } ?? [])
    }
  }

  /// In the order of their bytes, so that the order they came in makes no difference.
  var sorted: [Pair] {
    pairs.sorted { left, right in
      left.name == right.name
        ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
    }
  }
}
