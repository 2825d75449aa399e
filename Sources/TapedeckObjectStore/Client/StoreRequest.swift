internal import TapedeckRedaction
internal import TapedeckUpstream

/// Takes the body of an object while it arrives; made anew for every attempt.
package protocol ObjectSink: AnyObject {
  /// Returns `false` if the body is refused.
  func take(_ piece: UnsafeRawBufferPointer) -> Bool
  /// Called once all has arrived.
  func finish() throws(StoreError)
}

/// One request to a bucket, before it is signed.
struct StoreRequest {
  var method: String
  /// Empty for the bucket.
  var key: String
  var query: [(name: String, value: String)] = []
  /// Besides those of the signature, such as conditions.
  var fields: [(name: String, value: String)] = []
  var body = Transfer.Body.bytes([])
  var bodySHA256 = SignatureV4.Request.emptySHA256
  var limitBytes = 16 << 20
  /// Statuses that are outcomes and not errors, besides 200 and 204.
  var expected: Set<Int> = []
  var makeSink: (() throws(StoreError) -> any ObjectSink)?

  static func get(_ key: String, expected: Set<Int> = []) -> StoreRequest {
    StoreRequest(method: "GET", key: key, expected: expected)
  }

  static func put(_ key: String, _ bytes: [UInt8]) -> StoreRequest {
    StoreRequest(
      method: "PUT", key: key, body: .bytes(bytes), bodySHA256: SHA256Digest(of: bytes).hex)
  }

  static func delete(_ key: String) -> StoreRequest {
    StoreRequest(method: "DELETE", key: key, expected: [404])
  }

  /// A page of the list of keys with a prefix.
  static func list(prefix: String, after token: String?) -> StoreRequest {
    var query = [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
    if let token { query.append(("continuation-token", token)) }
    return StoreRequest(method: "GET", key: "", query: query.map { (name: $0.0, value: $0.1) })
  }
}
