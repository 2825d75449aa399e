internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// Reads the objects that a resource begins with: `[…]`, `{"data": […]}`, `{"file": "users.json"}`,
/// `{"count": 20, "fields": {"name": "name"}}` or `{"cassette": "Cassettes/example", "recording": "get-users-3f9a1c"}`.
extension ResourceDeclaration {
  mutating func readSeed(_ reader: inout RuleReader, _ file: OverridesFile?) throws(OverrideProblem) {
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
    case "file": seeds = try Self.listed(&inner, file)
    case "count": seeds = try made(&inner)
    default: seeds = try Self.recorded(&inner, file)
    }
    try inner.finish()
  }

  private static func listed(
    _ reader: inout RuleReader, _ file: OverridesFile?
  ) throws(OverrideProblem) -> [JSONValue] {
    let (name, place) = (try reader.text("file") ?? "", reader.place(of: "file"))
    guard let file else { throw OverridesFile.absent(place) }
    let bytes = try file.read(name, at: place)
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch {
      throw OverrideProblem(place, "\(name) is not JSON: \(error)")
    }
    guard let items = value.array else { throw OverrideProblem(place, "\(name) holds no list of objects") }
    return items
  }

  // MARK: Generated

  private mutating func made(_ reader: inout RuleReader) throws(OverrideProblem) -> [JSONValue] {
    let count = try reader.int("count", in: 0...100_000) ?? 0
    randomSeed = UInt64(try reader.int("randomSeed", in: 0...Int.max) ?? 0)
    guard let fields = try reader.read("fields", Self.fields) else {
      return (0..<count).map { _ in .object([]) }
    }
    return (0..<count).map { number in
      var fake = Fake(seed: randomSeed, of: name, number: number)
      return fields(&fake, number + 1)
    }
  }

  /// Makes the value of a field from the number of the object, which counts from 1.
  private typealias Field = @Sendable (inout Fake, _ number: Int) -> JSONValue

  /// Named like the methods of `Fake`.
  private static let kinds: [(name: String, make: Field)] = [
    ("firstName", { fake, _ in JSONValue(fake.firstName()) }),
    ("lastName", { fake, _ in JSONValue(fake.lastName()) }),
    ("name", { fake, _ in JSONValue(fake.name()) }),
    ("username", { fake, _ in JSONValue(fake.username()) }),
    ("email", { fake, _ in JSONValue(fake.email()) }),
    ("city", { fake, _ in JSONValue(fake.city()) }),
    ("street", { fake, _ in JSONValue(fake.street()) }),
    ("company", { fake, _ in JSONValue(fake.company()) }),
    ("url", { fake, _ in JSONValue(fake.url()) }),
    ("word", { fake, _ in JSONValue(fake.word()) }),
    ("title", { fake, _ in JSONValue(fake.title()) }),
    ("sentence", { fake, _ in JSONValue(fake.sentence()) }),
    ("paragraph", { fake, _ in JSONValue(fake.paragraph()) }),
    ("uuid", { fake, _ in JSONValue(fake.uuid()) }),
    ("date", { fake, _ in JSONValue(fake.date(within: 365)) }),
    ("bool", { fake, _ in .bool(fake.bool()) }),
    ("int", { fake, _ in JSONValue(fake.int(0...1000)) }),
    ("number", { _, number in JSONValue(number) }),
  ]

  private static func fields(_ value: JSONValue, at place: String) throws(OverrideProblem) -> Field {
    guard let members = value.members else {
      throw OverrideProblem(place, "must be an object, like {\"email\": \"email\"}")
    }
    let fields = try members.map { member throws(OverrideProblem) in
      (name: member.name, field: try field(member.value, at: "\(place).\(member.name.text)"))
    }
    return { fake, number in
      .object(fields.map { JSONMember(JSONString($0.name.text), $0.field(&fake, number)) })
    }
  }

  private static func field(_ value: JSONValue, at place: String) throws(OverrideProblem) -> Field {
    if let items = value.array {
      guard !items.isEmpty else { throw OverrideProblem(place, "must be a list of values to choose from") }
      return { fake, _ in fake.element(of: items) }
    }
    if let text = value.text {
      if let kind = kinds.first(where: { $0.name == text }) { return kind.make }
      throw OverrideProblem(
        place,
        "\(text.debugDescription) is not a kind of field; known are "
          + "\(kinds.map(\.name).joined(separator: ", ")), and {\"value\": \(value)} is the text itself")
    }
    guard value.members != nil else { return { _, _ in value } }
    var reader = try RuleReader(value, at: place)
    guard let field = try composed(&reader) else {
      throw OverrideProblem(place, "needs one of value, int, double, sentences and object")
    }
    try reader.finish()
    return field
  }

  private static func composed(_ reader: inout RuleReader) throws(OverrideProblem) -> Field? {
    if let constant = reader.value("value") { return { _, _ in constant } }
    if let count = try reader.int("sentences", in: 1...1000) {
      return { fake, _ in JSONValue(fake.sentences(count)) }
    }
    for name in ["int", "double"] where reader.has(name) {
      let ends = (try reader.list(name) ?? []).compactMap(\.double)
      guard ends.count == 2, ends[0] <= ends[1], ends.allSatisfy({ $0.magnitude < 1e15 }) else {
        throw reader.problem(name, "must be the least and the largest, like [1, 100]")
      }
      if name == "int" {
        let range = Int(ends[0])...Int(ends[1])
        return { fake, _ in JSONValue(fake.int(range)) }
      }
      let range = ends[0]...ends[1]
      return { fake, _ in JSONValue((fake.double(range) * 100).rounded() / 100) }
    }
    return try reader.read("object", fields)
  }

  // MARK: Recorded

  private static func recorded(
    _ reader: inout RuleReader, _ file: OverridesFile?
  ) throws(OverrideProblem) -> [JSONValue] {
    let (name, place) = (try reader.text("cassette") ?? "", reader.place(of: "cassette"))
    guard let recording = try reader.text("recording") else {
      throw OverrideProblem(reader.place, "needs a recording: the file of a list in the cassette")
    }
    guard let file else {
      throw OverrideProblem(place, "must be a cassette beneath the folder of the overrides file")
    }
    guard let body = try file.recordedBody(name, recording, at: place) else {
      throw reader.problem("recording", "\(name) has no recording \(recording.debugDescription)")
    }
    guard let value = try? JSONValue(parsing: body), let items = list(in: value) else {
      throw reader.problem("recording", "the response in \(recording) holds no list of objects")
    }
    return items
  }

  /// The document itself if it is a list of objects, or its only member that is one.
  private static func list(in value: JSONValue) -> [JSONValue]? {
    func isList(_ value: JSONValue) -> Bool {
      value.array?.allSatisfy { $0.members != nil } == true && value.array?.isEmpty == false
    }
    if isList(value) { return value.array }
    let lists = (value.members ?? []).map(\.value).filter(isList)
    return lists.count == 1 ? lists[0].array : nil
  }
}
