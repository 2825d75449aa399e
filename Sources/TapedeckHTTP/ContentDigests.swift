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
