internal import TapedeckHTTP

/// Foundation's values, without Foundation, so that a proxy need not load it: recognized by their type's name
/// and read through `Encodable`, `Collection` and their descriptions.
enum FoundationType: String {
  case date = "Date"
  case data = "Data"
  case url = "URL"
  case uuid = "UUID"
  case decimal = "Decimal"
  case null = "NSNull"
  case text = "NSString"
  case mutableText = "NSMutableString"

  /// 2001-01-01, the reference date of `Date`, in seconds since 1970.
  private static let referenceDateSeconds: Double = 978_307_200

  private init?(_ type: any Any.Type) {
    let parts = String(reflecting: type).split(separator: ".")
    guard parts.count == 2, parts[0] == "Foundation" || parts[0] == "FoundationEssentials" else { return nil }
    self.init(rawValue: String(parts[1]))
  }

  static func writer<T>(of type: T.Type) -> ValueWriter? {
    FoundationType(type).map { known in
      ValueWriter(of: type) { value, run throws(SerializationError) in
        try known.json(value.pointee, run.format).write(.compact, to: &run.out)
        return true
      }
    }
  }

  static func json<T>(_ value: T, _ format: SerializationFormat) throws(SerializationError) -> JSONValue? {
    guard let known = FoundationType(T.self) else { return nil }
    return try known.json(value, format)
  }

  private func json<T>(_ value: T, _ format: SerializationFormat) throws(SerializationError) -> JSONValue {
    switch self {
    case .date: return try Self.date(value, format.dates)
    case .data:
      let bytes = (value as? any Sequence<UInt8>).map { Array($0) } ?? []
      if format.data == .bytes { return .array(bytes.map { JSONValue(Int($0)) }) }
      return JSONValue(Base64.encode(bytes))
    case .url: return JSONValue(Self.url(try Self.encoded(value)))
    case .uuid: return try Self.encoded(value)
    case .decimal:
      guard let json = try? JSONValue(parsing: Array("\(value)".utf8)), case .number = json else {
        throw SerializationError(.notFinite("\(value)"))
      }
      return json
    case .null: return .null
    case .text, .mutableText: return JSONValue("\(value)")
    }
  }

  private static func encoded<T>(_ value: T) throws(SerializationError) -> JSONValue {
    guard let value = value as? any Encodable else { return JSONValue("\(value)") }
    let encoder = ValueEncoder(keys: nil, format: SerializationFormat(), depth: 0)
    do { try value.encode(to: encoder) } catch { throw SerializationError(.failedEncoding("\(error)")) }
    return encoder.node.json
  }

  private static func date<T>(
    _ value: T, _ format: SerializationFormat.Dates
  ) throws(SerializationError) -> JSONValue {
    let seconds = (try encoded(value).double ?? 0) + referenceDateSeconds
    switch format {
    case .iso8601: return JSONValue(ISO8601.text(secondsSince1970: seconds))
    case .secondsSince1970: return .number(JSONNumber(seconds) ?? JSONNumber(0))
    case .millisecondsSince1970: return .number(JSONNumber((seconds * 1000).rounded()) ?? JSONNumber(0))
    case .custom(let make): return make(seconds)
    }
  }

  /// A URL encodes its text and its base.
  private static func url(_ encoded: JSONValue) -> String {
    if let text = encoded.text { return text }
    let relative = encoded["relative"]?.text ?? ""
    guard let base = encoded["base"], !base.isNull else { return relative }
    return URLText.resolve(relative, against: url(base))
  }

  /// Reads a value in the form that this module writes by default; `nil` for types that decode themselves.
  static func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T? {
    guard let known = FoundationType(type), let text = value.text else { return nil }
    let json: JSONValue
    switch known {
    case .date:
      guard let seconds = ISO8601.seconds(text) else { return nil }
      json = JSONValue(seconds - referenceDateSeconds)
    case .data:
      guard let bytes = Base64.decode(Array(text.utf8)) else { return nil }
      json = .array(bytes.map { JSONValue(Int($0)) })
    case .url: json = ["relative": JSONValue(text)]
    case .decimal, .uuid, .null, .text, .mutableText: return nil
    }
    return try type.init(from: ValueDecoder(json))
  }
}

/// Calendar times in UTC.
enum ISO8601 {
  /// - Parameter secondsSince1970: rounded to milliseconds and clamped to the years 0 to 9999.
  static func text(secondsSince1970 seconds: Double) -> String {
    let limited = seconds.isNaN ? 0 : min(max(seconds, -62_167_219_200), 253_402_300_799.999)
    let milliseconds = Int64((limited * 1000).rounded())
    let (day, inDay) = divided(milliseconds, by: 86_400_000)
    let (year, month, date) = civil(day)
    let second = inDay / 1000
    let fraction = inDay % 1000
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T"
      + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }

  /// Days since 1970-01-01 as a Gregorian date, computed in eras of 400 years that begin in March.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divided(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// The seconds since 1970 of `2026-01-31T12:30:00.250Z`, or with an offset like `+02:00`.
  static func seconds(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = digits(bytes[0..<4]), let month = digits(bytes[5..<7]), let day = digits(bytes[8..<10]),
      let hour = digits(bytes[11..<13]), let minute = digits(bytes[14..<16]),
      let second = digits(bytes[17..<19]), (1...12).contains(month), (1...31).contains(day), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    var zone = bytes[19...]
    var fraction = 0.0
    if zone.first == UInt8(ascii: ".") {
      let decimals = zone.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard let value = Double("0." + String(decoding: decimals, as: UTF8.self)) else { return nil }
      fraction = value
      zone = zone[decimals.endIndex...]
    }
    guard let offset = offset(zone) else { return nil }
    return Double(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// The offset from UTC in seconds: `Z`, `+02:00`, `-0330`.
  private static func offset(_ zone: ArraySlice<UInt8>) -> Int64? {
    if zone.count == 1, zone.first.map({ $0 | 0x20 }) == UInt8(ascii: "z") { return 0 }
    let numbers = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-"), numbers.count == 4,
      let hours = digits(numbers[0..<2]), let minutes = digits(numbers[2..<4])
    else { return nil }
    return (zone.first == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func digits(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int64($1 & 15) }
  }

  /// Days from 1970-01-01: the inverse of `civil`.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (era, yearOfEra) = divided(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Division that rounds down.
  private static func divided(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = (value % divisor + divisor) % divisor
    return ((value - remainder) / divisor, remainder)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
