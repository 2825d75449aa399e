internal import TapedeckMocking

/// `{"success": …}`, or `{"error": …}` with a status. Thrown by a handler, it is the answer.
enum Answer: ResponseFieldsProvider, Error {
  case success(String)
  case failure(String, statusCode: Int)

  var statusCode: Int {
    switch self {
    case .success: 200
    case .failure(_, let statusCode): statusCode
    }
  }

  var body: any Serializable {
    switch self {
    case .success(let text): ["success": text]
    case .failure(let text, _): ["error": text]
    }
  }

  var headerFields: [String: String]? { nil }

  static func missing(_ what: String) -> Answer { .failure("there is no such \(what)", statusCode: 404) }
}
