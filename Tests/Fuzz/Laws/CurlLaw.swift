@testable import TapedeckFormats
@testable import TapedeckHTTP
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// curl command lines: requests that can be sent, and notes that say something.
enum CurlLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let (requests, notes) = CurlReader.read(input, file: "file")
    for note in notes { try require(!note.problem.isEmpty && !note.entry.isEmpty, "a note without words") }
    for planned in requests {
      let request = planned.request
      try require(
        request.target.allSatisfy { RequestTarget.isAllowed($0) },
        "the target \(request.targetText) cannot be sent")
      try require(HTTPMethod.isValid(request.method.rawValue), "the method \(request.method) cannot be sent")
      try require(planned.origin.hasPrefix("http"), "\(planned.origin) is no origin")
    }
  }
}
