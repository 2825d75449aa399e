package import TapedeckHTTP

/// Fields that are new in every request or response and say nothing about either: times, signatures, ids of requests
/// and of traces. Their values stand in the `volatile` member, so that a session recorded again changes no file for
/// them; readers of an interaction find them in their places among the others.
package enum VolatileFields {
  package enum Side { case request, response }

  /// Whether a field is one of them.
  static func contains(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, in side: Side
  ) -> Bool {
    let names = side == .request ? requestNames : responseNames
    guard names.indices.contains(name.count) else { return false }
    return names[name.count].contains { ASCII.equal(name, lowercase: $0) }
      || side == .request && isSignature(name, value)
  }

  package static func contains(_ field: HTTPField, in side: Side) -> Bool {
    field.name.withUnsafeBufferPointer { name in
      field.value.withUnsafeBufferPointer { contains(name: name, value: $0, in: side) }
    }
  }

  /// Those among the end-to-end fields, in order; without the only `Date` of a response, which has a member of its own.
  static func all(in fields: HTTPFields, _ side: Side) -> HTTPFields {
    var found = listed(in: fields, side)
    if found.isEmpty { return found }
    var kept = fields
    kept.removeHopByHop()
    if kept.count < fields.count { found = listed(in: kept, side) }
    return found
  }

  private static func listed(in fields: HTTPFields, _ side: Side) -> HTTPFields {
    let date = side == .response ? FieldsFormat.dateIndex(in: fields) : nil
    var found = HTTPFields()
    for index in fields.indices where index != date {
      fields.withBytes(at: index) { name, value in
        if contains(name: name, value: value, in: side) { found.append(index, of: fields) }
      }
    }
    return found
  }

  /// AWS Signature Version 4 signs the time with the request.
  private static func isSignature(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
    -> Bool
  {
    ASCII.equal(name, lowercase: "authorization") && value.starts(with: "AWS4-".utf8)
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

  /// Names by how long they are, so that most fields are compared with few of them.
  private static func byLength(_ names: [StaticString]) -> [[StaticString]] {
    let longest = max(names.map(\.utf8CodeUnitCount).max() ?? 0, "authorization".utf8.count)
    return (0...longest).map { length in names.filter { $0.utf8CodeUnitCount == length } }
  }
}
