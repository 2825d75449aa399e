import TapedeckHTTP
import TapedeckRedaction

/// The differences between a recorded and a received body, in the terms of the match key.
struct BodyComparison {
  /// A received body, in the form in which all recorded ones are compared with it.
  struct Received {
    fileprivate let request: HTTPRequest
    fileprivate let body: CanonicalBody

    init(_ request: HTTPRequest, _ rules: MatchRules) {
      self.request = CanonicalBody.opened(request, rules) ?? request
      body = CanonicalBody(self.request, rules)
    }
  }

  private let rules: MatchRules
  private let recorded: HTTPRequest
  private let received: HTTPRequest
  /// In the order of the places; empty when the bodies are equal under the rules.
  private(set) var differences: [RequestDifference] = []
  private(set) var distance = 0

  init(recorded sent: RecordedRequest, received: Received, rules: MatchRules) {
    self.rules = rules
    self.received = received.request
    var recorded = sent.request
    var isUnread = false
    if let large = sent.largeBody, !self.received.body.isEmpty {
      if let body = Self.contents(of: large) { recorded.body = body } else { isUnread = true }
    }
    self.recorded = CanonicalBody.opened(recorded, rules) ?? recorded
    if self.received.body.isEmpty {
      // Nothing is parsed, so comparing a request without a body to the largest recording is cheap.
      let count = sent.largeBody?.size ?? recorded.body.count
      let kind = CanonicalBody.Kind(CanonicalBody.type(of: self.recorded, rules))
      if count > 0 { differ("body", Self.text(kind, count), nil) }
    } else if isUnread, let large = sent.largeBody {
      compareUnread(large)
    } else {
      compare(CanonicalBody(self.recorded, rules), received.body)
    }
  }

  private mutating func differ(
    _ field: String, _ recorded: String?, _ received: String?, ignoredBy word: String? = nil,
    distance: Int = RequestDistance.otherBody
  ) {
    differences = [RequestDifference(field: field, recorded: recorded, received: received, ignoredBy: word)]
    self.distance = distance
  }

  private static func contents(of file: BodyFile) -> [UInt8]? {
    guard file.size <= CanonicalBody.maximumParsedBytes else { return nil }
    return try? file.open().bytes(at: 0, count: file.size)
  }

  /// A body too large to hold is named after its digest.
  private mutating func compareUnread(_ file: BodyFile) {
    if received.body.count == file.size, BodyFile.name(digest: SHA256Digest(of: received.body)) == file.name {
      return
    }
    differ("body", "\(file.size) bytes", "\(received.body.count) bytes")
  }

  private mutating func compare(_ left: CanonicalBody, _ right: CanonicalBody) {
    guard left.kind == right.kind else {
      if recorded.body == received.body {
        // Equal bodies of different types are of two kinds.
        let types = [recorded, received].map {
          $0.fields.first("content-type").map(RequestDifference.excerpt)
        }
        return differ(
          "header content-type", types[0], types[1], ignoredBy: "body:json", distance: RequestDistance.value)
      }
      return differ(
        "body", Self.text(left.kind, recorded.body.count), Self.text(right.kind, received.body.count),
        ignoredBy: isSameJSON ? "body:json" : nil,
        distance: isSameJSON ? RequestDistance.value : RequestDistance.otherBody)
    }
    if left.kind == .json {
      // None are found where the canonical forms are equal.
      differences = json(left.value, right.value)
    } else {
      let (old, new) = (left.bytes, right.bytes)
      guard old != new else { return }
      switch left.kind {
      case .form: differences = form()
      case .multipart: differences = multipart()
      case .json, .bytes, .none: return compareBytes(old, new)
      }
    }
    distance = RequestDistance.sum(differences)
  }

  private static func text(_ kind: CanonicalBody.Kind, _ byteCount: Int) -> String? {
    switch kind {
    case .none: nil
    case .bytes: "\(byteCount) bytes"
    default: "\(kind) of \(byteCount) bytes"
    }
  }

  /// Whether both are the same JSON, although not both declare it.
  private var isSameJSON: Bool {
    guard !recorded.body.isEmpty, rules.bodyForm == .byType, let old = try? JSONValue(parsing: recorded.body),
      let new = try? JSONValue(parsing: received.body)
    else { return false }
    return old.canonicalBytes == new.canonicalBytes
  }
}

// MARK: - By kind

extension BodyComparison {
  private func json(_ recorded: JSONValue?, _ received: JSONValue?) -> [RequestDifference] {
    var comparison = JSONComparison()
    comparison.compare(recorded, received, path: "$")
    return comparison.differences.map { difference in
      var difference = difference
      difference.ignoredBy = (try? JSONPath(difference.field)).map { "body:ignore=\($0.generalized)" }
      return difference
    }
  }

  private func form() -> [RequestDifference] {
    let pairs = [recorded, received].map { request in
      FormPairs(request.body[...]).comparingTokens(in: request.body[...]).sorted
        .filter { !rules.ignoredFields.matches($0.name) }
    }
    return RequestDifference.differences(recorded: pairs[0], received: pairs[1], in: "form", of: "body")
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

  /// Shows both from shortly before the first difference.
  private mutating func compareBytes(_ left: [UInt8], _ right: [UInt8]) {
    let common = CommonEnds(left, right)
    let start = max(0, common.head - 16)
    let longer = max(left.count, right.count)
    differ(
      start == 0 ? "body" : "body from byte \(start)",
      RequestDifference.quoted(left[min(start, left.count)...]),
      RequestDifference.quoted(right[min(start, right.count)...]), ignoredBy: isSameJSON ? "body:json" : nil,
      distance: isSameJSON
        ? RequestDistance.value
        : RequestDistance.bytes(differing: longer - common.head - common.tail, of: longer))
  }
}
