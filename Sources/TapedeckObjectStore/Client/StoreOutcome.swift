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
    return told.flatMap { $0.wholeMatch(of: /[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}/) == nil ? nil : $0 }
  }

  /// The store's clock.
  static func time(in response: TransferResponse) -> Int? {
    response.field("Date").flatMap(HTTPDate.seconds)
  }
}
