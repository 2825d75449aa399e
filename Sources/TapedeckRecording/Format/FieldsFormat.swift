import TapedeckHTTP

/// Header fields as an array of `["Name", "value"]`, in order, with duplicates.
enum FieldsFormat {
  /// - Parameters:
  ///   - isDateVolatile: whether the only `Date` is written as null, since its value stands elsewhere.
  ///   - bodyBytes: the size of the body; the only `Content-Length` is written as null where it says the same.
  static func write(
    _ fields: HTTPFields, isDateVolatile: Bool = false, bodyBytes: Int? = nil, to out: inout JSONOutput
  ) {
    let hidden =
      (
        date: isDateVolatile ? onlyIndex(of: "date", in: fields) : nil,
        length: bodyBytes.flatMap { lengthIndex(in: fields, saying: $0) }
      )
    out.beginArray()
    for index in fields.indices {
      out.beginArray()
      fields.withBytes(at: index) { name, value in
        ByteString.write(name, to: &out)
        if index == hidden.date || index == hidden.length {
          out.null()
        } else {
          ByteString.write(value, to: &out)
        }
      }
      out.endArray()
    }
    out.endArray()
  }

  private static func lengthIndex(in fields: HTTPFields, saying count: Int) -> Int? {
    guard let index = onlyIndex(of: "content-length", in: fields),
      fields.value(at: index).elementsEqual(String(count).utf8)
    else { return nil }
    return index
  }

  /// Where the field of a name stands; nil when there is none, or more than one.
  private static func onlyIndex(of name: StaticString, in fields: HTTPFields) -> Int? {
    guard let index = fields.index(of: name), fields.index(of: name, from: index + 1) == nil else {
      return nil
    }
    return index
  }

  /// The value of `Date` when there is exactly one, which then belongs to the volatile facts.
  static func volatileDate(_ fields: HTTPFields) -> ArraySlice<UInt8>? {
    onlyIndex(of: "date", in: fields).map { fields.value(at: $0) }
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
