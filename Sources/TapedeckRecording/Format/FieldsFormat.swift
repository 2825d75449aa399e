import TapedeckHTTP

/// Header fields as an array of `["Name", "value"]`, in order, with duplicates.
enum FieldsFormat {
  /// - Parameters:
  ///   - side: whose volatile fields are written as null, because their values are written elsewhere.
  ///   - bodyBytes: the size of the body; the only `Content-Length` is written as null where it says the same.
  static func write(
    _ fields: HTTPFields, volatileIn side: VolatileFields.Side? = nil, bodyBytes: Int? = nil,
    to out: inout JSONOutput
  ) {
    let length = bodyBytes.flatMap { lengthIndex(in: fields, saying: $0) }
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

  private static func lengthIndex(in fields: HTTPFields, saying count: Int) -> Int? {
    guard let index = onlyIndex(of: "content-length", in: fields),
      fields.value(at: index).elementsEqual(String(count).utf8)
    else { return nil }
    return index
  }

  /// The index of the only field of a name; nil when there is none, or more than one.
  private static func onlyIndex(of name: StaticString, in fields: HTTPFields) -> Int? {
    guard let index = fields.index(of: name), fields.index(of: name, from: index + 1) == nil else {
      return nil
    }
    return index
  }

  /// The index of the only `Date`, whose value has a member of its own among the volatile facts.
  static func dateIndex(in fields: HTTPFields) -> Int? { onlyIndex(of: "date", in: fields) }

  /// A `Content-Length` of null is left empty until the size of the body is known.
  /// - Parameters:
  ///   - date: the value of a `Date` of null.
  ///   - volatile: the fields whose values are null, in order.
  static func decode(
    _ pairs: [JSONValue], at place: JSONPlace, date: [UInt8]? = nil, volatile: HTTPFields = HTTPFields()
  ) throws(JSONProblem) -> HTTPFields {
    var fields = HTTPFields()
    var volatile = volatile[...]
    for (index, pair) in pairs.enumerated() {
      guard case .array(let items) = pair, items.count == 2, case .string(let name) = items[0] else {
        throw place.element(index).problem("a pair [\"Name\", \"value\"] is expected here")
      }
      let value: ArraySlice<UInt8>
      if items[1] == .null {
        value = try unwritten(name, date: date, &volatile, at: place.element(index))
      } else {
        value = try ByteString.decodeSlice(items[1], at: place.element(index))
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
    _ name: JSONString, date: [UInt8]?, _ volatile: inout HTTPFields.SubSequence, at place: JSONPlace
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
    return date[...]
  }
}
