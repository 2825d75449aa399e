import TapedeckHTTP

/// Header fields as an array of `["Name", "value"]`, in order, with duplicates.
enum FieldsFormat {
  /// - Parameters:
  ///   - isDateVolatile: whether the only `Date` is written as null, since its value stands elsewhere.
  ///   - bodyBytes: the size of the body; the only `Content-Length` is written as null where it says the same.
  static func encode(_ fields: HTTPFields, isDateVolatile: Bool = false, bodyBytes: Int? = nil) -> JSONValue {
    let hidesDate = isDateVolatile && volatileDate(fields) != nil
    let lengths = bodyBytes == nil ? [] : fields.values(of: "content-length")
    let hidesLength = lengths.count == 1 && lengths[0].elementsEqual("\(bodyBytes ?? 0)".utf8)
    return .array(
      fields.map { field in
        let isHidden =
          hidesDate && field.isNamed("date") || hidesLength && field.isNamed("content-length")
        return .array([ByteString.encode(field.name), isHidden ? .null : ByteString.encode(field.value)])
      })
  }

  /// The value of `Date` when there is exactly one, which then belongs to the volatile facts.
  static func volatileDate(_ fields: HTTPFields) -> ArraySlice<UInt8>? {
    let dates = fields.values(of: "date")
    return dates.count == 1 ? dates.first : nil
  }

  /// A `Content-Length` of null is left empty, for the body to say what it is.
  /// - Parameter date: what a `Date` of null stands for.
  static func decode(
    _ pairs: [JSONValue], at place: EntryPlace, date: [UInt8]? = nil
  ) throws(CassetteError) -> HTTPFields {
    var fields = HTTPFields()
    for (index, pair) in pairs.enumerated() {
      guard case .array(let items) = pair, items.count == 2, case .string(let name) = items[0] else {
        throw place.element(index).problem("a pair [\"Name\", \"value\"] is expected here")
      }
      let value: ArraySlice<UInt8>
      if items[1] == .null {
        value = try unwritten(name, date: date, at: place.element(index))
      } else {
        value = try ByteString.decodeSlice(items[1], at: place.element(index))
      }
      do throws(HTTPFieldError) {
        try fields.append(nameBytes: name.utf8Slice ?? [], valueBytes: value)
      } catch {
        throw place.element(index).problem("\(error)")
      }
    }
    return fields
  }

  private static func unwritten(
    _ name: JSONString, date: [UInt8]?, at place: EntryPlace
  ) throws(CassetteError) -> ArraySlice<UInt8> {
    let bytes = name.decodedBytes.map(Bytes.lowercased)
    if bytes.elementsEqual("content-length".utf8) { return [] }
    guard let date, bytes.elementsEqual("date".utf8) else {
      throw place.problem(
        "only `Content-Length` may be null, and the `Date` of an answer when `volatile.date` holds its value")
    }
    return date[...]
  }
}
