import TapedeckHTTP

/// Header fields as an array of `["Name", "value"]`, in order, with duplicates.
enum FieldsFormat {
  /// - Parameter isDateVolatile: whether the only `Date` is written as null, since its value stands elsewhere.
  static func encode(_ fields: HTTPFields, isDateVolatile: Bool = false) -> JSONValue {
    let hidesDate = isDateVolatile && volatileDate(fields) != nil
    return .array(
      fields.map { field in
        let value = hidesDate && field.isNamed("date") ? .null : ByteString.encode(field.value)
        return .array([ByteString.encode(field.name), value])
      })
  }

  /// The value of `Date` when there is exactly one, which then belongs to the volatile facts.
  static func volatileDate(_ fields: HTTPFields) -> ArraySlice<UInt8>? {
    let dates = fields.values(of: "date")
    return dates.count == 1 ? dates.first : nil
  }

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
        guard let date, name.decodedBytes.map(Bytes.lowercased) == Array("date".utf8) else {
          throw place.element(index).problem(
            "only the `Date` of an answer may be null, and only when `volatile.date` holds its value")
        }
        value = date[...]
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
}
