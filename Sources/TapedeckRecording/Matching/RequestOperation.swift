public import TapedeckHTTP
import TapedeckRedaction

/// The operation of a request when one URL serves many, to distinguish such requests for people.
public enum RequestOperation {
  private static let maximumBytes = 200

  /// The operation from `X-Amz-Target`, `SOAPAction`, `operationName` or the first operation in GraphQL,
  /// JSON-RPC's `method`, or `Action` in a query or form; `nil` when there is none.
  public static func name(of request: HTTPRequest) -> String? {
    let name = RequestVariant(request.fields).operation ?? inQuery(request) ?? inBody(request)
    guard let name, !name.isEmpty, name.count <= maximumBytes, String(validating: name, as: UTF8.self) != nil
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static func inQuery(_ request: HTTPRequest) -> ArraySlice<UInt8>? {
    guard let query = request.query else { return nil }
    let pairs = FormPairs(query)
    if let document = pairs.first("query").flatMap({ GraphQLDocument($0) }) {
      return pairs.first("operationName").map { $0[...] } ?? document.operation
    }
    return pairs.first("Action").map { $0[...] }
  }

  private static func inBody(_ request: HTTPRequest) -> ArraySlice<UInt8>? {
    guard (1...CanonicalBody.maximumParsedBytes).contains(request.body.count) else { return nil }
    if marks.contains(where: { ByteSearch.first($0, in: request.body[...]) != nil }) {
      if let value = CanonicalBody.document(in: request.body) { return inJSON(value) }
    }
    guard case .form = MediaType(request.fields).kind else { return nil }
    return FormPairs(request.body[...]).first("Action").map { $0[...] }
  }

  /// Every JSON body that names an operation contains one of these.
  private static let marks = ["\"query\"", "\"operationName\"", "\"jsonrpc\""].map { Array($0.utf8) }

  private static func inJSON(_ value: JSONValue) -> ArraySlice<UInt8>? {
    let first = value.array?.first ?? value
    guard let members = first.members else { return nil }
    let document = GraphQLDocument.document(in: members)?.document
    if document != nil || first["extensions"] != nil, let name = text(first["operationName"]) { return name }
    if let document { return document.operation }
    return first["jsonrpc"] == nil ? nil : text(first["method"])
  }

  private static func text(_ value: JSONValue?) -> ArraySlice<UInt8>? {
    guard case .string(let string)? = value else { return nil }
    let bytes = string.decodedBytes
    return bytes.isEmpty ? nil : bytes[...]
  }
}

extension FormPairs {
  fileprivate func first(_ name: String) -> [UInt8]? {
    pairs.first { $0.name.elementsEqual(name.utf8) && !$0.value.isEmpty }?.value
  }
}
