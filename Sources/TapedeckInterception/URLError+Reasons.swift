internal import Foundation

extension URLError {
  /// A request that has nobody to answer it, and why.
  static func unanswerable(_ reason: String) -> URLError {
    URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  static let downloadUnanswerable = unanswerable(
    "Foundation on Linux lets nobody answer download tasks; use a data task")

  /// An answer that broke off in its middle.
  static func brokenOff(_ reason: any Error) -> URLError {
    URLError(.networkConnectionLost, userInfo: [NSLocalizedDescriptionKey: "the answer broke off: \(reason)"])
  }

  func naming(_ url: URL?) -> URLError {
    guard let url, failingURL == nil else { return self }
    var userInfo = errorUserInfo
    userInfo[NSURLErrorFailingURLErrorKey] = url
    return URLError(code, userInfo: userInfo)
  }
}
