internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// The objects that a resource begins with: `[…]`, `{"data": […]}`, `{"file": "users.json"}`,
/// `{"count": 20, "fields": {"name": "name"}}` or `{"cassette": "Cassettes/example", "recording": "get-users-3f9a1c"}`.
extension ResourceDeclaration {
  mutating func readSeed(_ reader: inout RuleReader, files: RuleFiles?) throws(OverrideProblem) {
    guard let value = reader.value("seed") else { return }
    if let items = value.array {
      seeds = items
      return
    }
    let place = reader.place(of: "seed")
    guard value.members != nil else { throw OverrideProblem(place, "must be a list of objects or an object") }
    var inner = try RuleReader(value, at: place)
    let kinds = ["data", "file", "count", "cassette"].filter { inner.has($0) }
    guard kinds.count == 1 else {
      throw OverrideProblem(place, "needs one of data, file, count and cassette")
    }
    switch kinds[0] {
    case "data": seeds = try inner.list("data") ?? []
    case "file": seeds = try Self.file(&inner, files)
    case "count": seeds = try made(&inner)
    default: seeds = try Self.recorded(&inner, files)
    }
    try inner.finish()
  }

  private static func file(
    _ reader: inout RuleReader, _ files: RuleFiles?
  ) throws(OverrideProblem) -> [JSONValue] {
    let (name, place) = (try reader.text("file") ?? "", reader.place(of: "file"))
    guard let files else { throw RuleFiles.absent(place) }
    let bytes = try files.read(name, at: place)
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch {
      throw OverrideProblem(place, "\(name) is no JSON: \(error)")
    }
    guard let items = value.array else { throw OverrideProblem(place, "\(name) holds no list of objects") }
    return items
  }

  // MARK: Made up

  private mutating func made(_ reader: inout RuleReader) throws(OverrideProblem) -> [JSONValue] {
    let count = try reader.int("count", in: 0...100_000) ?? 0
    randomSeed = UInt64(try reader.int("randomSeed", in: 0...Int.max) ?? 0)
    let place = reader.place(of: "fields")
    let fields = try reader.value("fields").map { value throws(OverrideProblem) in
      try Self.members(value, place)
    }
    return Self.made(count, of: fields ?? [], named: name, randomSeed: randomSeed)
  }

  private static func members(
    _ value: JSONValue, _ place: String
  ) throws(OverrideProblem) -> [FakeField.Member] {
    guard let members = value.members else {
      throw OverrideProblem(place, "must be an object, like {\"email\": \"email\"}")
    }
    return try members.map { member throws(OverrideProblem) in
      let name = member.name.text
      return FakeField.Member(name: name, field: try field(member.value, "\(place).\(name)"))
    }
  }

  private static func field(_ value: JSONValue, _ place: String) throws(OverrideProblem) -> FakeField {
    if let items = value.array {
      guard !items.isEmpty else { throw OverrideProblem(place, "must be a list of values to choose from") }
      return .oneOf(items)
    }
    if let text = value.text {
      guard let kind = FakeField.Kind(rawValue: text) else {
        let known = FakeField.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw OverrideProblem(
          place,
          "\(text.debugDescription) is no kind of field; there are \(known), "
            + "and {\"value\": \(value)} is the text itself")
      }
      return .kind(kind)
    }
    guard value.members != nil else { return .value(value) }
    return try composed(value, place)
  }

  private static func composed(_ value: JSONValue, _ place: String) throws(OverrideProblem) -> FakeField {
    var reader = try RuleReader(value, at: place)
    if let constant = reader.value("value") {
      try reader.finish()
      return .value(constant)
    }
    if let count = try reader.int("sentences", in: 1...1000) {
      try reader.finish()
      return .sentences(count)
    }
    for name in ["int", "double"] where reader.has(name) {
      let ends = (try reader.list(name) ?? []).compactMap(\.double)
      guard ends.count == 2, ends[0] <= ends[1], ends.allSatisfy({ $0.magnitude < 1e15 }) else {
        throw reader.problem(name, "must be the least and the largest, like [1, 100]")
      }
      try reader.finish()
      return name == "int" ? .int(Int(ends[0])...Int(ends[1])) : .double(ends[0]...ends[1])
    }
    if let inner = reader.value("object") {
      try reader.finish()
      return .object(try members(inner, reader.place(of: "object")))
    }
    throw OverrideProblem(place, "needs one of value, int, double, sentences and object")
  }

  // MARK: Recorded

  private static func recorded(
    _ reader: inout RuleReader, _ files: RuleFiles?
  ) throws(OverrideProblem) -> [JSONValue] {
    let (name, place) = (try reader.text("cassette") ?? "", reader.place(of: "cassette"))
    guard let file = try reader.text("recording") else {
      throw OverrideProblem(reader.place, "needs a recording: the file of a list in the cassette")
    }
    guard let files else {
      throw OverrideProblem(place, "must be a cassette beneath the folder of the overrides file")
    }
    guard let body = try files.recordedBody(name, file, at: place) else {
      throw OverrideProblem(
        reader.place(of: "recording"), "\(name) has no recording \(file.debugDescription)")
    }
    guard let value = try? JSONValue(parsing: body), let items = list(in: value) else {
      throw OverrideProblem(reader.place(of: "recording"), "the answer in \(file) holds no list of objects")
    }
    return items
  }

  /// The list of objects that a document is, or that it has as the only one among its members.
  private static func list(in value: JSONValue) -> [JSONValue]? {
    func isList(_ value: JSONValue) -> Bool {
      value.array?.allSatisfy { $0.members != nil } == true && value.array?.isEmpty == false
    }
    if isList(value) { return value.array }
    let lists = (value.members ?? []).map(\.value).filter(isList)
    return lists.count == 1 ? lists[0].array : nil
  }
}
