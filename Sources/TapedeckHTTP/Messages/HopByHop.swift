extension HTTPRequest {
  /// Whether it opens a WebSocket (RFC 6455 §4.2.1).
  package var asksForWebSocket: Bool {
    asksForUpgrade && version == .http11 && method == .get
      && fields.members(of: "upgrade").contains(lowercase: "websocket")
  }

  /// Whether the client accepts trailers (RFC 9110 §10.1.4).
  public var acceptsTrailers: Bool { fields.members(of: "te").contains(lowercase: "trailers") }
}

extension HTTPResponseHead {
  /// Removes the fields of the connection. A 426 and a 101 keep the required `Upgrade` (RFC 9110 §15.2.2, §15.5.22).
  public mutating func removeHopByHop() { fields.removeHopByHop(keepsUpgrade: announcesUpgrade) }

  /// Whether `Upgrade` says what the response is about.
  var announcesUpgrade: Bool { status == 426 || status == 101 }
}

extension HTTPFields {
  /// Removes the fields of the connection (RFC 9110 §7.6.1): those listed there and those that `Connection`
  /// lists, but never framing and `Host`. `Trailer` stays, because trailers are forwarded (RFC 9110 §6.6.2).
  public mutating func removeHopByHop(keepsUpgrade: Bool = false) {
    let nominated = nominations
    let kept = storage.withUnsafeBufferPointer { bytes in
      let isRemoved = { (slice: Slice) in
        Self.isHopByHop(slice.name, in: bytes) && !(keepsUpgrade && slice.isNamed("upgrade", in: bytes))
          || nominated.contains { Self.equal($0, slice.name, in: bytes) } && !slice.isNamed("host", in: bytes)
            && !slice.isNamed("content-length", in: bytes)
      }
      guard let first = slices.firstIndex(where: isRemoved) else { return nil as [Slice]? }
      var kept: [Slice] = []
      kept.reserveCapacity(slices.count)
      kept += slices[..<first]
      for slice in slices[(first + 1)...] where !isRemoved(slice) { kept.append(slice) }
      return kept
    }
    if let kept { slices = kept }
  }

  /// Where the names that `Connection` lists are in `storage`, except those removed anyway.
  private var nominations: [Range<Int>] {
    var nominations: [Range<Int>] = []
    var next = index(of: "connection")
    while let index = next {
      next = self.index(of: "connection", from: index + 1)
      let value = slices[index].value
      storage.withUnsafeBufferPointer { bytes in
        var start = value.lowerBound
        while start < value.upperBound {
          let end = bytes[start..<value.upperBound].firstIndex(of: ASCII.comma) ?? value.upperBound
          let name = bytes[start..<end].trimmingBlanks()
          let range = name.startIndex..<name.endIndex
          if !ASCII.equal(name, lowercase: "close"), !Self.isHopByHop(range, in: bytes) {
            nominations.append(range)
          }
          start = end + 1
        }
      }
    }
    return nominations
  }

  private static func equal(
    _ left: Range<Int>, _ right: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { ASCII.lowercased(bytes[$0]) == ASCII.lowercased(bytes[$1]) }
  }

  private static func isHopByHop(_ name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard name.count < 32, hopByHopLengths >> UInt32(name.count) & 1 == 1 else { return false }
    let name = UnsafeBufferPointer(rebasing: bytes[name])
    return hopByHop.contains { $0.utf8CodeUnitCount == name.count && ASCII.equal(name, lowercase: $0) }
  }

  private static let hopByHop: [StaticString] = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "upgrade",
    "proxy-authorization",
  ]
  /// A bit for each length of a name in the list, which rules out most fields.
  private static let hopByHopLengths = hopByHop.reduce(0 as UInt32) { $0 | 1 << UInt32($1.utf8CodeUnitCount) }
}
