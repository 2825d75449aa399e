internal import TapedeckHTTP

/// Where requests to a bucket are sent, and in which form.
///
/// AWS's own buckets have hosts of their own, unless a dot in their name would not fit the certificate. All other stores
/// are asked with the bucket in the path, which all of them take.
struct StoreEndpoint: Sendable, Equatable {
  let scheme: String
  /// The host, with the port where it is not the scheme's.
  let authority: String
  /// What stands before every key, not percent-encoded.
  let base: String

  /// - Parameter url: of a store; `nil` for AWS's. It may hold a password, so no error repeats it.
  init(bucket: String, url: String?, region: String) throws(StoreError) {
    guard let url else {
      let host = "s3.\(region).\(Self.domain(of: region))"
      let hasOwnHost = !bucket.contains(".")
      (scheme, authority, base) = (
        "https", hasOwnHost ? "\(bucket).\(host)" : host, hasOwnHost ? "/" : "/\(bucket)/"
      )
      return
    }
    guard let end = url.firstRange(of: "://")?.lowerBound, let origin = HTTPOrigin(Self.withoutPath(url))
    else {
      throw StoreError("AWS_ENDPOINT_URL", .malformedEndpoint)
    }
    scheme = url[..<end].lowercased()
    authority = String("\(origin)".dropFirst(scheme.count + 3))
    let path = url.dropFirst(Self.withoutPath(url).count)
    guard path.utf8.allSatisfy({ RequestTarget.isVisible($0) && $0 < 0x80 }),
      !path.contains(where: "?#%".contains)
    else { throw StoreError("AWS_ENDPOINT_URL", .malformedEndpoint) }
    base = (path.hasSuffix("/") ? String(path) : "\(path)/") + "\(bucket)/"
  }

  /// The domain of a region's services.
  static func domain(of region: String) -> String {
    region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
  }

  private static func withoutPath(_ url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return url }
    return String(url[..<(url[start...].firstIndex(of: "/") ?? url.endIndex)])
  }

  func path(of key: String) -> String { key.isEmpty && base != "/" ? String(base.dropLast()) : base + key }
}
