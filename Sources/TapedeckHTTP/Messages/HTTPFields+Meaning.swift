extension HTTPFields {
  /// Fields that hold a digest of the content: RFC 1864, RFC 9530 and its forerunner, Amazon's and Google's checksums.
  private static let contentDigests: [StaticString] = [
    "content-md5", "content-digest", "repr-digest", "digest", "x-amz-checksum-crc32", "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme", "x-amz-checksum-sha1", "x-amz-checksum-sha256", "x-goog-hash",
  ]

  /// Removes what would no longer be true of a body that was changed.
  package mutating func removeContentDigests() {
    removeAll { field in Self.contentDigests.contains { field.isNamed($0) } }
  }

  /// Removes as well by what the unchanged content would be known again, or asked for in parts (RFC 9110 §8.8, §14.3).
  package mutating func removeContentValidators() {
    removeContentDigests()
    for name in ["etag", "last-modified", "accept-ranges"] as [StaticString] { removeAll(name) }
  }
}

extension HTTPFields {
  /// How many more hops a request may take (RFC 9110 §7.6.2); nil without the field. A number too long to count with,
  /// like anything but one plain number, is refused.
  public func maxForwards() throws(HTTPParseError) -> Int? {
    let values = values(of: "max-forwards")
    guard let digits = values.first else { return nil }
    guard values.count == 1, (1...18).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else {
      throw .badMaxForwards
    }
    return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }

  /// Whether `Via` says that the message has passed someone of this name, in lower case (RFC 9110 §7.6.3).
  public func hasPassed(_ pseudonym: StaticString) -> Bool {
    values(of: "via").contains { value in
      value.split(separator: ASCII.comma).contains { member in
        // received-protocol, received-by, comment
        let words = member.split(whereSeparator: ASCII.isBlank)
        return words.count > 1 && ASCII.equal(words[1], lowercase: pseudonym)
      }
    }
  }
}
