import TapedeckHTTP
import TapedeckRedaction

/// The differences between the body of a recorded request and a received one, in the terms of the match key.
struct BodyComparison {
  private let rules: MatchRules
  private let recorded: HTTPRequest
  private let received: HTTPRequest
  /// In the order of the places; none where both are the same to the rules.
  private(set) var differences: [RequestDifference] = []
  /// How far apart they are, in `RequestDistance`'s points.
  private(set) var distance = 0

  init(recorded sent: RecordedRequest, received: HTTPRequest, rules: MatchRules) {
    self.rules = rules
    self.received = CanonicalBody.opened(received, rules) ?? received
    var recorded = sent.request
    var isUnread = false
    if let large = sent.largeBody, !received.body.isEmpty {
      if let body = Self.contents(of: large) { recorded.body = body } else { isUnread = true }
    }
    self.recorded = CanonicalBody.opened(recorded, rules) ?? recorded
    if received.body.isEmpty {
      compareMissing(byteCount: sent.largeBody?.size ?? recorded.body.count)
    } else if isUnread, let large = sent.largeBody {
      compareUnread(large)
    } else {
      compare(CanonicalBody(self.recorded, rules), CanonicalBody(self.received, rules))
    }
  }

  /// Takes nothing apart: a request without a body costs little to compare with the largest recording.
  private mutating func compareMissing(byteCount: Int) {
    guard byteCount > 0 else { return }
    let kind = CanonicalBody.Kind(CanonicalBody.type(of: recorded, rules))
    differences = [
      RequestDifference(field: "body", recorded: Self.text(kind, byteCount), received: nil)
    ]
    distance = RequestDistance.otherBody
  }

  /// The content of a file that is small enough to be parsed.
  private static func contents(of file: BodyFile) -> [UInt8]? {
    guard file.size <= CanonicalBody.maximumParsedBytes else { return nil }
    return try? file.open().bytes(at: 0, count: file.size)
  }

  /// A body too large to be held has its digest for a name.
  private mutating func compareUnread(_ file: BodyFile) {
    if received.body.count == file.size, BodyFile.name(digest: SHA256Digest(of: received.body)) == file.name {
      return
    }
    differences = [
      RequestDifference(
        field: "body", recorded: "\(file.size) bytes", received: "\(received.body.count) bytes")
    ]
    distance = RequestDistance.otherBody
  }

  private mutating func compare(_ left: CanonicalBody, _ right: CanonicalBody) {
    guard left.kind == right.kind else {
      if recorded.body == received.body { return compareTypes() }
      differences = [
        RequestDifference(
          field: "body", recorded: Self.text(left.kind, recorded.body.count),
          received: Self.text(right.kind, received.body.count), ignoredBy: isSameJSON ? "body:json" : nil)
      ]
      distance = isSameJSON ? RequestDistance.value : RequestDistance.otherBody
      return
    }
    guard left.bytes != right.bytes else { return }
    switch left.kind {
    case .json: differences = json()
    case .form: differences = form()
    case .multipart: differences = multipart()
    case .bytes, .none: return compareBytes(left.bytes, right.bytes)
    }
    distance = RequestDistance.sum(differences)
  }

  /// Equal bodies that their types make two kinds of.
  private mutating func compareTypes() {
    let types = [recorded, received].map { request in
      request.fields.first("content-type").map(RequestDifference.excerpt)
    }
    differences = [
      RequestDifference(
        field: "header content-type", recorded: types[0], received: types[1], ignoredBy: "body:json")
    ]
    distance = RequestDistance.value
  }

  private static func text(_ kind: CanonicalBody.Kind, _ byteCount: Int) -> String? {
    switch kind {
    case .none: nil
    case .bytes: "\(byteCount) bytes"
    default: "\(kind) of \(byteCount) bytes"
    }
  }

  /// Whether both are one JSON, though not both say that they are JSON.
  private var isSameJSON: Bool {
    guard !recorded.body.isEmpty, rules.bodyForm == .byType, let old = try? JSONValue(parsing: recorded.body),
      let new = try? JSONValue(parsing: received.body)
    else { return false }
    return CanonicalJSON.bytes(old) == CanonicalJSON.bytes(new)
  }
}

// MARK: - By kind

extension BodyComparison {
  private func json() -> [RequestDifference] {
    let values = [recorded, received].map { request in
      CanonicalBody.json(request.body).flatMap { CanonicalBody.compared($0, rules) }
    }
    var comparison = JSONComparison()
    comparison.compare(values[0], values[1], path: "$")
    return comparison.differences.map { difference in
      var difference = difference
      difference.ignoredBy = (try? JSONPath(difference.field)).map { "body:ignore=\($0.generalized)" }
      return difference
    }
  }

  private func form() -> [RequestDifference] {
    let pairs = [recorded, received].map { request in
      FormPairs(request.body[...]).sorted.filter { !rules.ignoredFields.matches($0.name) }
    }
    return RequestDifference.differences(recorded: pairs[0], received: pairs[1], in: .form)
  }

  private func multipart() -> [RequestDifference] {
    let (left, right) = (parts(recorded), parts(received))
    return (0..<max(left.count, right.count)).compactMap { index in
      let (old, new) = (left.dropFirst(index).first, right.dropFirst(index).first)
      guard old.map({ MultipartBody.canonical($0) }) != new.map({ MultipartBody.canonical($0) }) else {
        return nil
      }
      let name = (new ?? old).flatMap(MultipartBody.name)
      return RequestDifference(
        field: "part " + (name.map(RequestDifference.quoted) ?? "\(index + 1)"),
        recorded: old.map { Self.content($0) }, received: new.map { Self.content($0) },
        ignoredBy: name.flatMap(NamePattern.init(exactly:)).map { "body:ignore=\($0)" })
    }
  }

  private func parts(_ request: HTTPRequest) -> [ArraySlice<UInt8>] {
    guard case .multipart(let boundary) = CanonicalBody.type(of: request, rules) else { return [] }
    return MultipartBody(request.body, boundary: boundary)?.parts(ignoring: rules.ignoredFields) ?? []
  }

  /// A part without its header, unless that is all there is.
  private static func content(_ part: ArraySlice<UInt8>) -> String {
    let content = MultipartBody.content(of: part)
    return RequestDifference.quoted(content.isEmpty ? part : content)
  }

  /// Shows both from shortly before the first byte that differs.
  private mutating func compareBytes(_ left: [UInt8], _ right: [UInt8]) {
    let common = CommonEnds(left, right)
    let start = max(0, common.head - 16)
    differences = [
      RequestDifference(
        field: start == 0 ? "body" : "body from byte \(start)",
        recorded: RequestDifference.quoted(left[min(start, left.count)...]),
        received: RequestDifference.quoted(right[min(start, right.count)...]),
        ignoredBy: isSameJSON ? "body:json" : nil)
    ]
    let longer = max(left.count, right.count)
    distance =
      isSameJSON
      ? RequestDistance.value
      : RequestDistance.bytes(differing: longer - common.head - common.tail, of: longer)
  }
}
