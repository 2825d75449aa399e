import TapedeckHTTP

extension MultipartBody {
  /// The parts but those whose name is one of these.
  func parts(ignoring names: Set<NamePattern>) -> [ArraySlice<UInt8>] {
    names.isEmpty ? parts : parts.filter { part in !(Self.name(of: part).map(names.matches) ?? false) }
  }

  /// How deeply parts within parts are taken apart.
  private static let maximumDepth = 4

  /// A part as it is compared: parts within it (RFC 2046 §5.1.4) stand without the boundary between them, which is in
  /// its header too.
  static func canonical(_ part: ArraySlice<UInt8>, depth: Int = 0) -> [UInt8] {
    guard depth < maximumDepth, let (range, boundary) = innerBoundary(of: part),
      let inner = MultipartBody(Array(content(of: part)), boundary: boundary)
    else { return Array(part) }
    var writer = KeyWriter(capacity: part.count)
    writer.append(part[..<range.lowerBound] + part[range.upperBound..<content(of: part).startIndex])
    for each in inner.parts { writer.append(canonical(each, depth: depth + 1)) }
    return writer.bytes
  }
}
