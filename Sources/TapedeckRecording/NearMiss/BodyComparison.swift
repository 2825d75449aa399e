import TapedeckHTTP

/// What differs between the body of a recorded request and one that came, in the terms the key is made in.
struct BodyComparison {
  private let rules: MatchRules
  private let recorded: HTTPRequest
  private let received: HTTPRequest
  private let left: CanonicalBody
  private let right: CanonicalBody
  /// In the order of the places; none where both are the same to the rules.
  private(set) var differences: [RequestDifference] = []
  /// How far apart they are, in `RequestDistance`'s points.
  private(set) var distance = 0

  init(recorded sent: RecordedRequest, received: HTTPRequest, rules: MatchRules) {
    self.rules = rules
    self.received = received
    var recorded = sent.request
    var isUnread = false
    if let large = sent.largeBody {
      if let body = Self.contents(of: large) { recorded.body = body } else { isUnread = true }
    }
    self.recorded = recorded
    left = CanonicalBody(recorded, rules)
    right = CanonicalBody(received, rules)
    if isUnread, let large = sent.largeBody {
      compareUnread(large)
    } else {
      compare()
    }
  }

  /// What is small enough to be taken apart.
  private static func contents(of file: BodyFile) -> [UInt8]? {
    guard file.size <= CanonicalBody.maximumParsedBytes else { return nil }
    return try? file.open().bytes(at: 0, count: file.size)
  }

  /// A body too large to be held has its digest for a name.
  private mutating func compareUnread(_ file: BodyFile) {
    if received.body.count == file.size, BodyFile.name(digest: SHA256Digest(of: received.body)) == file.name {
      return
    }
    let came = received.body.isEmpty ? nil : "\(received.body.count) bytes"
    differences = [RequestDifference(field: "body", recorded: "\(file.size) bytes", received: came)]
    distance = RequestDistance.otherBody
  }

  private mutating func compare() {
    guard left.kind == right.kind else {
      differences = [
        RequestDifference(
          field: "body", recorded: Self.text(recorded, left), received: Self.text(received, right),
          ignoredBy: isSameJSON ? "body:json" : nil)
      ]
      distance = isSameJSON ? RequestDistance.value : RequestDistance.otherBody
      return
    }
    guard left.bytes != right.bytes else { return }
    switch left.kind {
    case .json: differences = json()
    case .form: differences = form()
    case .multipart: differences = multipart()
    case .bytes, .none: return compareBytes()
    }
    distance = RequestDistance.sum(differences)
  }

  private static func text(_ request: HTTPRequest, _ body: CanonicalBody) -> String? {
    switch body.kind {
    case .none: nil
    case .bytes: "\(request.body.count) bytes"
    default: "\(body.kind) of \(request.body.count) bytes"
    }
  }

  /// Whether both are one JSON, though not both say that they are JSON.
  private var isSameJSON: Bool {
    guard left.kind != .none, right.kind != .none, rules.bodyForm == .byType,
      let old = try? JSONValue(parsing: recorded.body), let new = try? JSONValue(parsing: received.body)
    else { return false }
    return CanonicalJSON.bytes(old) == CanonicalJSON.bytes(new)
  }
}

// MARK: - By kind

extension BodyComparison {
  private func json() -> [RequestDifference] {
    let paths = Array(rules.ignoredPaths)
    let values = [recorded, received].map { (try? JSONValue(parsing: $0.body))?.removing(paths) }
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
    return PairsComparison.differences(recorded: pairs[0], received: pairs[1], kind: .form)
  }

  private func multipart() -> [RequestDifference] {
    let (left, right) = (parts(recorded), parts(received))
    return (0..<max(left.count, right.count)).compactMap { index in
      let (old, new) = (left.dropFirst(index).first, right.dropFirst(index).first)
      guard old != new else { return nil }
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
  private mutating func compareBytes() {
    if recorded.body.isEmpty != received.body.isEmpty { distance = RequestDistance.otherBody }
    let common = CommonEnds(left.bytes, right.bytes)
    let start = max(0, common.head - 16)
    differences = [
      RequestDifference(
        field: start == 0 ? "body" : "body from byte \(start)",
        recorded: RequestDifference.quoted(left.bytes[min(start, left.bytes.count)...]),
        received: RequestDifference.quoted(right.bytes[min(start, right.bytes.count)...]),
        ignoredBy: isSameJSON ? "body:json" : nil)
    ]
    let longer = max(left.bytes.count, right.bytes.count)
    distance =
      isSameJSON
      ? RequestDistance.value
      : RequestDistance.bytes(differing: longer - common.head - common.tail, of: longer)
  }
}
