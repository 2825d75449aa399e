package import TapedeckHTTP

/// Header fields as an array of `["Name", "value"]`, in order, with duplicates.
extension InteractionFormat {
  /// - Parameters:
  ///   - side: the message whose volatile fields are written as null; their values are stored elsewhere.
  ///   - bodyBytes: the body's size; an only `Content-Length` with this value is written as null.
  static func write(
    _ fields: HTTPFields, volatileIn side: VolatileFields? = nil, bodyBytes: Int? = nil,
    to out: inout JSONOutput
  ) {
    var length = bodyBytes == nil ? nil : fields.onlyIndex(of: "content-length")
    if let index = length, let bodyBytes, !fields.value(at: index).elementsEqual(String(bodyBytes).utf8) {
      length = nil
    }
    out.beginArray()
    for index in fields.indices {
      out.beginArray()
      fields.withBytes(at: index) { name, value in
        ByteString.write(name, to: &out)
        let isVolatile = side.map { VolatileFields.contains(name: name, value: value, in: $0) } ?? false
        if isVolatile || index == length {
          out.null()
        } else {
          ByteString.write(value, to: &out)
        }
      }
      out.endArray()
    }
    out.endArray()
  }

  /// The fields in a member; empty when it is absent. A `Content-Length` of null is left empty.
  /// - Parameters:
  ///   - date: the value of a `Date` of null.
  ///   - volatile: the fields whose values are null, in order.
  static func fields(
    _ object: StrictObject, _ member: some FormatMember, date: ArraySlice<UInt8>? = nil,
    volatile: HTTPFields = HTTPFields()
  ) throws(JSONProblem) -> HTTPFields {
    let place = object.place.member(member)
    var fields = HTTPFields()
    var volatile = volatile[...]
    for (index, pair) in try (object.array(member.rawValue) ?? []).enumerated() {
      guard case .array(let items) = pair, items.count == 2, case .string(let name) = items[0] else {
        throw place.element(index).problem("a pair [\"Name\", \"value\"] is expected here")
      }
      let value =
        if items[1] == .null {
          try unwritten(name, date: date, &volatile, at: place.element(index))
        } else {
          try ByteString.decode(items[1], at: place.element(index))
        }
      do throws(HTTPFieldError) {
        try fields.append(nameBytes: name.utf8Slice ?? [], valueBytes: value)
      } catch {
        throw place.element(index).problem("\(error)")
      }
    }
    if let unused = volatile.first {
      throw place.problem(
        "the value of `\(String(decoding: unused.name, as: UTF8.self))` among the volatile facts belongs to no field"
          + " that is null")
    }
    return fields
  }

  private static func unwritten(
    _ name: JSONString, date: ArraySlice<UInt8>?, _ volatile: inout HTTPFields.SubSequence,
    at place: JSONPlace
  ) throws(JSONProblem) -> ArraySlice<UInt8> {
    let bytes = name.decodedBytes.map(ASCII.lowercased)
    if bytes.elementsEqual("content-length".utf8) { return [] }
    if let next = volatile.first, next.name.lazy.map(ASCII.lowercased).elementsEqual(bytes) {
      volatile = volatile.dropFirst()
      return next.value
    }
    guard let date, bytes.elementsEqual("date".utf8) else {
      throw place.problem(
        "only `Content-Length` may be null, and the `Date` of a response and other fields whose values stand among"
          + " the volatile facts, in the same order")
    }
    return date
  }

  /// Sets the only `Content-Length`, in its place, to the size of the body; `nil` removes it.
  package static func correctLength(in fields: inout HTTPFields, to bodyBytes: Int?) {
    guard let first = fields.index(of: "content-length") else { return }
    let length = bodyBytes.map { Array(String($0).utf8) }
    if let length, fields.index(of: "content-length", from: first + 1) == nil {
      if !fields[first].value.elementsEqual(length) { try? fields.replaceValue(at: first, with: length) }
      return
    }
    var isKept = length != nil
    fields.removeAll { field in
      guard field.isNamed("content-length") else { return false }
      defer { isKept = false }
      return !isKept
    }
    correctLength(in: &fields, to: bodyBytes)
  }
}

extension HTTPFields {
  func onlyIndex(of name: StaticString) -> Int? {
    index(of: name).flatMap { first in index(of: name, from: first + 1) == nil ? first : nil }
  }
}

/// Fields that are new in every message and say nothing about it: times, signatures, ids of requests and
/// traces. Their values are stored in the `volatile` member, so that recording a session again changes no
/// file because of them. Readers of an interaction find them in their original places.
package enum VolatileFields {
  case request, response

  static func contains(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, in side: Self
  ) -> Bool {
    let names = side == .request ? requestNames : responseNames
    guard names.indices.contains(name.count) else { return false }
    return names[name.count].contains { ASCII.equal(name, lowercase: $0) }
      // AWS Signature Version 4 signs the time with the request.
      || side == .request && ASCII.equal(name, lowercase: "authorization")
        && value.starts(with: "AWS4-".utf8)
  }

  package static func contains(_ field: HTTPField, in side: Self) -> Bool {
    field.name.withUnsafeBufferPointer { name in
      field.value.withUnsafeBufferPointer { contains(name: name, value: $0, in: side) }
    }
  }

  /// The volatile end-to-end fields, in order, without a response's only `Date`.
  static func all(in fields: HTTPFields, _ side: Self) -> HTTPFields {
    var found = listed(in: fields, side)
    if found.isEmpty { return found }
    var kept = fields
    kept.removeHopByHop()
    if kept.count < fields.count { found = listed(in: kept, side) }
    return found
  }

  private static func listed(in fields: HTTPFields, _ side: Self) -> HTTPFields {
    let date = side == .response ? fields.onlyIndex(of: "date") : nil
    var found = HTTPFields()
    for index in fields.indices where index != date {
      fields.withBytes(at: index) { name, value in
        if contains(name: name, value: value, in: side) { found.append(index, of: fields) }
      }
    }
    return found
  }

  private static let requestNames = byLength([
    "amz-sdk-invocation-id", "amz-sdk-request", "idempotency-key", "sentry-trace", "traceparent",
    "tracestate", "uber-trace-id", "x-amz-date", "x-amzn-trace-id", "x-b3-parentspanid", "x-b3-spanid",
    "x-b3-traceid", "x-client-request-id", "x-cloud-trace-context", "x-correlation-id",
    "x-datadog-parent-id", "x-datadog-trace-id", "x-ms-client-request-id", "x-ms-date", "x-request-id",
  ])
  private static let responseNames = byLength([
    "age", "apigw-requestid", "cf-ray", "date", "openai-processing-ms", "request-id",
    "server-timing", "traceparent", "tracestate", "x-amz-cf-id", "x-amz-id-2", "x-amz-request-id",
    "x-amzn-requestid", "x-amzn-trace-id", "x-cloud-trace-context", "x-correlation-id",
    "x-envoy-upstream-service-time", "x-github-request-id", "x-guploader-uploadid", "x-ms-request-id",
    "x-request-id", "x-runtime", "x-trace-id",
  ])

  /// Names by length, so that most fields are compared with few of them.
  private static func byLength(_ names: [StaticString]) -> [[StaticString]] {
    let longest = max(names.map(\.utf8CodeUnitCount).max() ?? 0, "authorization".utf8.count)
    return (0...longest).map { length in names.filter { $0.utf8CodeUnitCount == length } }
  }
}
