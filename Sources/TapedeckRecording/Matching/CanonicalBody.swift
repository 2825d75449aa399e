import TapedeckHTTP

/// The body of a request without what makes no difference to its meaning.
struct CanonicalBody {
  enum Kind: UInt8 { case none, bytes, json, form, multipart }

  /// A body beyond this is compared as bytes, whatever it is: taking JSON apart costs many times its size in memory and
  /// keeps the other clients of a loop waiting. Part of the key, so it must not change.
  private static let maximumParsedBytes = 4 << 20

  let kind: Kind
  let bytes: [UInt8]

  init(_ request: HTTPRequest) {
    let body = request.body
    guard !body.isEmpty else {
      (kind, bytes) = (.none, [])
      return
    }
    switch body.count <= Self.maximumParsedBytes ? MediaType(request.fields).kind : .other {
    case .json:
      if let value = try? JSONValue(parsing: body) {
        (kind, bytes) = (.json, CanonicalJSON.bytes(value))
        return
      }
    case .form:
      var writer = KeyWriter(capacity: body.count + 16)
      writer.append(pairs: FormPairs(body[...]).sorted)
      (kind, bytes) = (.form, writer.bytes)
      return
    case .multipart(let boundary):
      if let parts = MultipartBody(body, boundary: boundary)?.parts {
        var writer = KeyWriter(capacity: body.count)
        for part in parts { writer.append(part) }
        (kind, bytes) = (.multipart, writer.bytes)
        return
      }
    case .other: break
    }
    (kind, bytes) = (.bytes, body)
  }
}
