import TapedeckHTTP

/// Header fields as they are compared.
enum RequestHeaders {
  /// Every value of the fields called `name` (lower case), in order.
  static func values(of name: String, in request: HTTPRequest) -> [ArraySlice<UInt8>] {
    let wanted = Array(name.utf8)
    return request.fields.filter { field in
      field.name.count == wanted.count && zip(field.name, wanted).allSatisfy { ASCII.lowercased($0) == $1 }
    }.map(\.value)
  }
}
