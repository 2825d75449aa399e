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
        name: Self.decoded(piece[..<(equals ?? piece.endIndex)]),
        value: equals.map { Self.decoded(piece[($0 + 1)...]) } ?? [])
    }
  }

  /// In the order of their bytes, so that the order they came in makes no difference.
  var sorted: [Pair] {
    pairs.sorted { left, right in
      left.name == right.name
        ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
    }
  }

  static func decoded(_ text: ArraySlice<UInt8>, plusIsBlank: Bool = true) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "+") where plusIsBlank: out.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        if index + 2 < text.endIndex, let high = ASCII.hexValue(text[index + 1]),
          let low = ASCII.hexValue(text[index + 2])
        {
          out.append(high << 4 | low)
          index += 2
        } else {
          out.append(UInt8(ascii: "%"))
        }
      case let byte: out.append(byte)
      }
      index += 1
    }
    return out
  }
}
