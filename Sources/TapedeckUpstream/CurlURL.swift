internal import CCurl

/// The origin's URL as libcurl takes it apart: once, and not for every transfer. All transfers share it; libcurl only
/// reads it.
final class CurlURL {
  let handle: OpaquePointer

  init(_ origin: UpstreamOrigin) throws(UpstreamError) {
    guard let handle = curl_url() else { throw .libcurlFailed(reason: "no URL handle could be made") }
    let code = curl_url_set(handle, CURLUPART_URL, Self.text(of: origin), UInt32(CURLU_PATH_AS_IS))
    guard code == CURLUE_OK else {
      curl_url_cleanup(handle)
      throw .libcurlFailed(
        reason: "the URL of the origin was refused: \(String(cString: curl_url_strerror(code)))")
    }
    self.handle = handle
  }

  deinit { curl_url_cleanup(handle) }

  /// The path comes with REQUEST_TARGET; one in the URL would be normalised.
  static func text(of origin: UpstreamOrigin) -> String { "\(origin.scheme.rawValue)://\(origin.authority)/" }
}
