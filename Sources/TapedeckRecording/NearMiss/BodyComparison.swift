import TapedeckHTTP

/// What differs between the body of a recorded request and one that came, in the terms the key is made in.
enum BodyComparison {
  static func differences(recorded: Interaction, received: HTTPRequest) -> [RequestDifference] {
    if let large = recorded.largeRequestBody {
      return [
        RequestDifference(
          field: "body", recorded: "\(large.size) bytes", received: size(received.body))
      ]
    }
    let (left, right) = (CanonicalBody(recorded.request), CanonicalBody(received))
    guard left.kind == right.kind else {
      return [
        RequestDifference(
          field: "body", recorded: text(recorded.request, left), received: text(received, right))
      ]
    }
    guard left.bytes != right.bytes else { return [] }
    switch left.kind {
    case .json: return json(recorded.request, received)
    case .form:
      return PairsComparison.differences(
        recorded: FormPairs(recorded.request.body[...]).sorted,
        received: FormPairs(received.body[...]).sorted,
        kind: "form")
    case .multipart: return multipart(recorded.request, received)
    case .bytes, .none: return [bytes(left.bytes, right.bytes)]
    }
  }

  private static func size(_ body: [UInt8]) -> String? { body.isEmpty ? nil : "\(body.count) bytes" }

  private static func text(_ request: HTTPRequest, _ body: CanonicalBody) -> String? {
    body.kind == .none ? nil : "\(body.kind) of \(request.body.count) bytes"
  }

  private static func json(_ recorded: HTTPRequest, _ received: HTTPRequest) -> [RequestDifference] {
    guard let left = try? JSONValue(parsing: recorded.body),
      let right = try? JSONValue(parsing: received.body)
    else { return [bytes(recorded.body, received.body)] }
    var comparison = JSONComparison()
    comparison.compare(left, right, path: "$")
    return comparison.differences
  }

  private static func multipart(_ recorded: HTTPRequest, _ received: HTTPRequest) -> [RequestDifference] {
    let (left, right) = (parts(recorded), parts(received))
    return (0..<max(left.count, right.count)).compactMap { index in
      let (old, new) = (left.dropFirst(index).first, right.dropFirst(index).first)
      guard old != new else { return nil }
      return RequestDifference(
        field: "part \(index + 1)", recorded: old.map(RequestDifference.quoted),
        received: new.map(RequestDifference.quoted))
    }
  }

  private static func parts(_ request: HTTPRequest) -> [ArraySlice<UInt8>] {
    guard case .multipart(let boundary) = MediaType(request.fields).kind else { return [] }
    return MultipartBody(request.body, boundary: boundary)?.parts ?? []
  }

  /// Shows both from shortly before the first byte that differs.
  private static func bytes(_ left: [UInt8], _ right: [UInt8]) -> RequestDifference {
    let same = zip(left, right).prefix { $0 == $1 }.count
    let start = max(0, same - 16)
    return RequestDifference(
      field: "body from byte \(start)", recorded: RequestDifference.quoted(left[min(start, left.count)...]),
      received: RequestDifference.quoted(right[min(start, right.count)...]))
  }
}
