import TapedeckHTTP

extension InteractionFormat {
  /// What the volatile member holds.
  struct DecodedFacts {
    var volatile = VolatileFacts()
    /// What the only `Date` of the response was.
    var date: [UInt8]?
    var requestFields = HTTPFields()
    var responseFields = HTTPFields()
  }

  static func decodeFacts(
    _ value: JSONValue?, at place: JSONPlace
  ) throws(JSONProblem) -> DecodedFacts {
    guard let value else { return DecodedFacts() }
    let object = try StrictObject(
      value, at: place,
      known: [
        "recordedAt", "date", "durationMilliseconds", "remoteAddress", "chunkOffsetsMilliseconds",
        requestFields, responseFields,
      ], allowsOwn: true)
    let facts = VolatileFacts(
      recordedAtMicroseconds: try decodeTime(object),
      durationMilliseconds: try decodeDuration(object),
      remoteAddress: try object.text("remoteAddress"),
      chunkOffsetsMilliseconds: try decodeOffsets(object))
    let date: [UInt8]? =
      if let date = object["date"] { try ByteString.decode(date, at: place.member("date")) } else { nil }
    return DecodedFacts(
      volatile: facts, date: date, requestFields: try decodeFields(object, requestFields),
      responseFields: try decodeFields(object, responseFields))
  }

  private static func decodeFields(
    _ object: StrictObject, _ member: StaticString
  ) throws(JSONProblem) -> HTTPFields {
    guard let pairs = try object.array(member) else { return HTTPFields() }
    return try FieldsFormat.decode(pairs, at: object.place.member("\(member)"))
  }

  private static func decodeTime(_ object: StrictObject) throws(JSONProblem) -> Int? {
    guard let text = try object.text("recordedAt") else { return nil }
    guard let time = Timestamp.microseconds(text) else {
      throw object.place.member("recordedAt").problem(
        "a time like 2026-11-21T01:52:33.123456Z is expected here")
    }
    return time
  }

  private static func decodeDuration(_ object: StrictObject) throws(JSONProblem) -> Double? {
    guard let value = object["durationMilliseconds"] else { return nil }
    return try milliseconds(value, at: object.place.member("durationMilliseconds"))
  }

  private static func milliseconds(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> Double {
    guard let number = value.double, VolatileFacts.milliseconds.contains(number) else {
      throw place().problem("a number of milliseconds is expected here")
    }
    return number
  }

  private static func decodeOffsets(_ object: StrictObject) throws(JSONProblem) -> [Double]? {
    guard let items = try object.array("chunkOffsetsMilliseconds") else { return nil }
    var offsets: [Double] = []
    offsets.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      offsets.append(
        try milliseconds(item, at: object.place.member("chunkOffsetsMilliseconds").element(index)))
    }
    return offsets
  }
}
