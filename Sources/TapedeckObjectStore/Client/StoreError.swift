/// Why an object store, or a cassette in one, could not be used. What a store wrote is never quoted: it may repeat what
/// the request was signed with.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Reason: Equatable, Sendable {
    case malformedAddress
    case malformedEndpoint
    case noCredentials(String)
    case denied
    case unknownKey
    case badSignature
    /// By how many seconds our clock is ahead of the store's; `nil` where it does not tell.
    case clockSkew(seconds: Int?)
    case expired
    /// The region of the bucket; `nil` where it is not told.
    case wrongRegion(configured: String, actual: String?)
    case noBucket
    case absent
    /// Somebody else wrote it since it was read.
    case changed
    case slowDown(attempts: Int)
    case unavailable(status: Int, attempts: Int)
    case unreachable(String)
    case cut(String)
    case damaged
    case invalidManifest(String)
    case locked(seconds: Int)
    case offline
    case file(String)
    case other(status: Int)
  }

  package let place: String
  package let reason: Reason

  package init(_ place: String, _ reason: Reason) { (self.place, self.reason) = (place, reason) }

  package var description: String { "\(place): \(reason)" }
}

extension StoreError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformedAddress: "that is no place in an object store; give it as s3://BUCKET/PREFIX"
    case .malformedEndpoint:
      "that is no URL of an object store; AWS_ENDPOINT_URL takes one like https://store.example.com"
    case .noCredentials(let reason): reason
    case .denied:
      "access is denied (403); the credentials may not do this, or the bucket is not theirs"
    case .unknownKey:
      "the store does not know the access key (403); check AWS_ACCESS_KEY_ID and AWS_ENDPOINT_URL"
    case .badSignature: "the store refuses the signature (403); check AWS_SECRET_ACCESS_KEY"
    case .clockSkew(let seconds):
      "the clock of this machine is wrong" + Self.skew(seconds)
        + ", so the store refuses requests (403); set the clock"
    case .expired: "the session token has expired or is not valid; get new credentials"
    case .wrongRegion(let configured, let actual):
      "the bucket is not in the region \(configured)"
        + (actual.map { "; set AWS_REGION=\($0)" } ?? "; set AWS_REGION to its own")
    case .noBucket: "there is no such bucket (404); make it first, or check its name and AWS_ENDPOINT_URL"
    case .absent: "there is no such object (404)"
    case .changed: "another writer has changed it since it was read (412)"
    case .slowDown(let attempts):
      "the store asks to slow down (503), \(attempts) times in a row; try again later, or with fewer clients"
    case .unavailable(let status, let attempts):
      "the store could not serve the request (\(status)), \(attempts) times in a row; try again later"
    case .unreachable(let reason): "the store cannot be reached: \(reason); check AWS_ENDPOINT_URL"
    case .cut(let reason): "the transfer was cut short: \(reason)"
    case .damaged:
      "the object is not what the manifest says (SHA-256); the bucket is damaged, or was changed by hand"
    case .invalidManifest(let problem): "the manifest is not valid: \(problem)"
    case .locked(let seconds):
      "another writer has held its lock for \(seconds) s; try again, or remove the lock if that writer is gone"
    case .offline: "it is not in the local cache, and --offline forbids to ask the store"
    case .file(let problem): problem
    case .other(let status): "the store refuses the request (\(status))"
    }
  }

  private static func skew(_ seconds: Int?) -> String {
    guard let seconds, seconds != 0 else { return "" }
    return " by \(abs(seconds)) s (it is \(seconds > 0 ? "fast" : "slow"))"
  }
}
