extension HTTPFields {
  /// Digests of the content: RFC 1864, RFC 9530 and its predecessor, Amazon's and Google's checksums.
  private static let contentDigests: [StaticString] = [
    "content-md5", "content-digest", "repr-digest", "digest", "x-amz-checksum-crc32", "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme", "x-amz-checksum-sha1", "x-amz-checksum-sha256", "x-goog-hash",
  ]

  package mutating func removeContentDigests() {
    removeAll { field in Self.contentDigests.contains { field.isNamed($0) } }
  }

  /// Also removes the fields that identify the unchanged content or offer ranges (RFC 9110 §8.8, §14.3).
  package mutating func removeContentValidators() {
    removeContentDigests()
    for name in ["etag", "last-modified", "accept-ranges"] as [StaticString] { removeAll(name) }
  }
}

extension HTTPFields {
  /// The hops left (RFC 9110 §7.6.2); `nil` without the field. Throws for anything but one number in range.
  public func maxForwards() throws(HTTPParseError) -> Int? {
    let values = values(of: "max-forwards")
    guard let digits = values.first else { return nil }
    guard values.count == 1, (1...18).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else {
      throw .badMaxForwards
    }
    return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }

  /// Whether `Via` names this recipient, given in lower case (RFC 9110 §7.6.3).
  public func hasPassed(_ pseudonym: StaticString) -> Bool {
    members(of: "via").contains { member in
      // received-protocol, received-by, comment
      let words = member.split(whereSeparator: ASCII.isBlank)
      return words.count > 1 && ASCII.equal(words[1], lowercase: pseudonym)
    }
  }

  /// The list members of all fields called `name` (lower case), without blanks (RFC 9110 §5.6.1).
  package func members(of name: StaticString) -> [ArraySlice<UInt8>] {
    values(of: name).flatMap { $0.split(separator: ASCII.comma).map { $0.trimmingBlanks() } }
  }

  /// UTF-8 as a string of a structured field (RFC 9651 §3.3.3), with `?` for each byte not allowed in it.
  package static func structuredString(_ text: some Sequence<UInt8>) -> String {
    text.reduce(into: "\"") { out, byte in
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { out += "\\" }
      out.unicodeScalars.append((0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?")
    } + "\""
  }
}

extension Sequence<ArraySlice<UInt8>> {
  package func contains(lowercase word: StaticString) -> Bool {
    contains { ASCII.equal($0, lowercase: word) }
  }
}

extension ArraySlice<UInt8> {
  /// The unquoted value of the parameter `name` (lower case) of a field value (RFC 9110 §5.6.6).
  func parameter(_ name: StaticString) -> ArraySlice<UInt8>? {
    for parameter in split(separator: UInt8(ascii: ";")).dropFirst() {
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")),
        ASCII.equal(parameter[..<equals].trimmingBlanks(), lowercase: name)
      else { continue }
      let value = parameter[(equals + 1)...].drop(while: ASCII.isBlank)
      guard value.first == UInt8(ascii: "\"") else { return value.prefix { !ASCII.isBlank($0) } }
      return value.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
    }
    return nil
  }
}

extension HTTPFields {
  package enum VariantRole: Sendable { case operation, range, condition, webSocket }

  /// The role of a field by its name.
  ///
  /// `Range` and the `If-…` fields, even unregistered ones, select the variant (RFC 9110 §13, §14), as does
  /// `X-Ms-Range`, which Azure's clients send instead of `Range`. `X-Amz-Target` and `SOAPAction` name the
  /// operation of a URL that serves many. `Sec-WebSocket-Version` tells a handshake from a plain GET (RFC 6455 §4.1).
  package static func variantRole(of name: ArraySlice<UInt8>) -> VariantRole? {
    name.withUnsafeBufferPointer(variantRole)
  }

  @inline(__always)
  package static func variantRole(of name: UnsafeBufferPointer<UInt8>) -> VariantRole? {
    switch name.count {
    case 5 where ASCII.equal(name, lowercase: "range"): .range
    case 10 where ASCII.equal(name, lowercase: "x-ms-range"): .range
    case 10 where ASCII.equal(name, lowercase: "soapaction"): .operation
    case 12 where ASCII.equal(name, lowercase: "x-amz-target"): .operation
    case 21 where ASCII.equal(name, lowercase: "sec-websocket-version"): .webSocket
    case 4...
    where name[0] | 0x20 == UInt8(ascii: "i") && name[1] | 0x20 == UInt8(ascii: "f")
      && name[2] == UInt8(ascii: "-"):
      .condition
    default: nil
    }
  }

  /// Whether a field has a role. Called for every replayed request.
  package var hasVariant: Bool {
    storage.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < slices.count {
        let name = UnsafeBufferPointer(rebasing: bytes[slices[index].name])
        if Self.variantRole(of: name) != nil { return true }
        index += 1
      }
      return false
    }
  }
}
