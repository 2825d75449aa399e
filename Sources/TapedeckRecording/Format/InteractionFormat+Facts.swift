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
    _ value: JSONValue?, at place: EntryPlace
  ) throws(CassetteError) -> DecodedFacts {
    guard let value else { return DecodedFacts() }
    let object = try StrictObject(
      value, at: place,
      known: [
        "recordedAt", "date", "durationMilliseconds", "remoteAddress", "chunkOffsetsMilliseconds",
        requestFields, responseFields,
      ])
    let facts = VolatileFacts(
      recordedAtMicroseconds: try decodeTime(object),
      durationMilliseconds: try object.milliseconds("durationMilliseconds"),
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
  ) throws(CassetteError) -> HTTPFields {
    guard let pairs = try object.array(member) else { return HTTPFields() }
    return try FieldsFormat.decode(pairs, at: object.place.member(member))
  }

  private static func decodeTime(_ object: StrictObject) throws(CassetteError) -> Int? {
    guard let text = try object.text("recordedAt") else { return nil }
    guard let time = Timestamp.microseconds(text) else {
      throw object.place.member("recordedAt").problem(
        "a time like 2026-11-21T01:52:33.123456Z is expected here")
    }
    return time
  }

  private static func decodeOffsets(_ object: StrictObject) throws(CassetteError) -> [Double]? {
    guard let items = try object.array("chunkOffsetsMilliseconds") else { return nil }
    var offsets: [Double] = []
    offsets.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      guard let offset = item.double, VolatileFacts.milliseconds.contains(offset) else {
        throw object.place.member("chunkOffsetsMilliseconds").element(index).problem(
          "a number of milliseconds is expected here")
      }
      offsets.append(offset)
    }
    return offsets
  }
}
