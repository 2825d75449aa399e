internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckUpstream

/// What a response of a store means.
enum StoreOutcome: Equatable {
  case good
  /// May go better later.
  case passing(StoreError.Reason)
  case failed(StoreError.Reason)

  private static let passingCodes: Set<String> = [
    "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling", "ThrottlingException",
    "RequestLimitExceeded", "OperationAborted", "ConditionalRequestConflict",
  ]

  /// - Parameters:
  ///   - attempts: how many were made, with this one.
  ///   - now: seconds since 1970, to tell by how much a clock is wrong.
  init(
    _ response: TransferResponse, expected: Set<Int>, region: String, attempts: Int, now: Int
  ) {
    let status = response.status
    if [200, 204].contains(status) || expected.contains(status) {
      self = .good
      return
    }
    let code = StoreXML.text(of: "Code", in: response.body) ?? ""
    if status == 429 || code == "SlowDown" {
      self = .passing(.slowDown(attempts: attempts))
    } else if status >= 500 || Self.passingCodes.contains(code) {
      self = .passing(.unavailable(status: status, attempts: attempts))
    } else {
      self = .failed(Self.reason(status, code, response, region: region, now: now))
    }
  }

  private static func reason(
    _ status: Int, _ code: String, _ response: TransferResponse, region: String, now: Int
  ) -> StoreError.Reason {
    switch (code, status) {
    case ("RequestTimeTooSkewed", _): .clockSkew(seconds: time(in: response).map { now - $0 })
    case ("SignatureDoesNotMatch", _): .badSignature
    case ("InvalidAccessKeyId", _): .unknownKey
    case ("ExpiredToken", _), ("InvalidToken", _), ("TokenRefreshRequired", _): .expired
    case ("PermanentRedirect", _), ("AuthorizationHeaderMalformed", _), ("TemporaryRedirect", _),
      ("IllegalLocationConstraintException", _), (_, 301), (_, 307):
      .wrongRegion(configured: region, actual: actualRegion(response))
    case ("NoSuchBucket", _): .noBucket
    case (_, 401), (_, 403): .denied
    case (_, 404): .absent
    case (_, 409), (_, 412): .changed
    default: .other(status: status)
    }
  }

  /// Only what has the form of a region is repeated.
  private static func actualRegion(_ response: TransferResponse) -> String? {
    let told = response.field("x-amz-bucket-region") ?? StoreXML.text(of: "Region", in: response.body)
    return told.flatMap { isRegion($0) ? $0 : nil }
  }

  /// Whether a text has the form of `eu-west-1`, `us-gov-east-1`.
  private static func isRegion(_ text: String) -> Bool {
    let words = text.split(separator: "-", omittingEmptySubsequences: false).map { Array($0.utf8) }
    guard (3...5).contains(words.count), let number = words.last, (1...2).contains(number.count) else {
      return false
    }
    return number.allSatisfy(ASCII.isDigit)
      && words.dropLast().allSatisfy { (2...12).contains($0.count) && $0.allSatisfy { $0 &- 0x61 < 26 } }
  }

  /// The store's clock.
  static func time(in response: TransferResponse) -> Int? {
    response.field("Date").flatMap(HTTPDate.seconds)
  }
}
