import Foundation
import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

private struct User: Serializable, Hashable {
  var name: String
}

private struct Friend: Serializable {
  var friends: [User]
}

private struct Custom: CustomSerializable {
  var name: String

  func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    [keyTransformer?("customKey") ?? "customKey": name]
  }
}

@Suite struct `F. Reflection` {
  @Test func `K112 a struct becomes an object of its properties`() {
    #expect(User(name: "Alex").serialized() == ["name": "Alex"])
  }

  @Test func `K113 an array property of entities becomes an array of objects`() {
    #expect(
      Friend(friends: [User(name: "a"), User(name: "b")]).serialized()
        == ["friends": [["name": "a"], ["name": "b"]]])
  }

  @Test func `K114 what a value says itself wins`() {
    #expect(Custom(name: "x").serialized() == ["customKey": "x"])
    #expect([Custom(name: "x")].serialized() == [["customKey": "x"]])
  }

  @Test func `K115 arrays, and arrays of arrays`() {
    #expect([User(name: "a")].serialized() == [["name": "a"]])
    #expect(
      [[User(name: "a")], [], [User(name: "b")]].serialized() == [[["name": "a"]], [], [["name": "b"]]])
    #expect([1, nil, 3].serialized() == [1, 3])
  }

  @Test func `K116 dictionaries, nested and as properties`() {
    struct Holder: Serializable { var users: [String: [String: User]] }
    #expect(["test": User(name: "a")].serialized() == ["test": ["name": "a"]])
    #expect(
      Holder(users: ["a": ["b": User(name: "c")]]).serialized() == ["users": ["a": ["b": ["name": "c"]]]])
  }

  @Test func `K117 an optional is its value`() {
    #expect(Optional(User(name: "a")).serialized() == ["name": "a"])
    #expect(Optional(3).serialized() == 3)
  }

  @Test func `K118 a nil property is left out`() {
    struct Maybe: Serializable { var a: Int?, b: String? }
    #expect(Maybe().serialized() == [:])
    #expect(Maybe(a: 1).serialized() == ["a": 1])
    #expect(["x": Int?.none, "y": 1].serialized() == ["y": 1])
  }

  @Test func `K119 nil is nothing`() {
    #expect(User?.none.serialized() == nil)
    #expect(User?.none.toData() == nil)
    #expect("text".toData() == nil)
    #expect([1].toData() == Array("[1]".utf8))
  }

  @Test func `K120 optional primitives and entities`() {
    struct Maybe: Serializable { var a: Int?, user: User?, list: [Int?]? }
    #expect(
      Maybe(a: 1, user: User(name: "b"), list: [1, nil]).serialized()
        == ["a": 1, "user": ["name": "b"], "list": [1]])
  }

  @Test func `K121 an optional in an optional flattens`() {
    struct Maybe: Serializable { var a: Int???, b: Int??, c: String?? }
    #expect(Maybe(a: 1, b: .some(nil), c: nil).serialized() == ["a": 1])
    #expect(Optional(Optional(User(name: "a"))).serialized() == ["name": "a"])
  }

  @Test func `K122 a key transformer reaches all keys`() {
    #expect(
      ["k": Friend(friends: [User(name: "a")])].serialized { $0.uppercased() }
        == ["K": ["FRIENDS": [["NAME": "a"]]]])
    #expect([Custom(name: "x")].serialized { $0.uppercased() } == [["CUSTOMKEY": "x"]])
  }

  private class Animal: Serializable {
    var name = "Rex"
    private var legs = 4
  }

  private class Dog: Animal {
    var breed = "Mutt"
    lazy var tricks = ["sit"]
  }

  @Test func `K123 inherited properties come first`() {
    let dog = Dog()
    #expect(dog.serialized() == ["name": "Rex", "legs": 4, "breed": "Mutt"])
    #expect((dog as Animal).serialized() == ["name": "Rex", "legs": 4, "breed": "Mutt"])
    #expect([dog, Animal()].serialized()?[0]?["breed"]?.text == "Mutt")
    #expect([dog, Animal()].serialized()?[1] == ["name": "Rex", "legs": 4])
  }

  private enum Color: String { case red, dark = "dark red" }
  private enum Level: Int, Serializable { case low = 1, high }
  private enum Plain: Serializable { case one, two }
  private enum Shape: Serializable {
    case point
    case circle(Double)
    case labelled(radius: Double)
    case box(width: Int, height: Int)
    case pair(Int, String)
    case user(User)
  }

  @Test func `K124 enums by raw value, name, or payload`() {
    struct Holder: Serializable {
      var color: Color, level: Level?, plain: Plain, shapes: [Shape]
    }
    let holder = Holder(
      color: .dark, level: .high, plain: .two,
      shapes: [
        .point, .circle(1.5), .labelled(radius: 2), .box(width: 1, height: 2), .pair(1, "a"),
        .user(User(name: "u")),
      ])
    #expect(
      holder.serialized() == [
        "color": "dark red", "level": 2, "plain": "two",
        "shapes": [
          "point", ["circle": 1.5], ["labelled": ["radius": 2]], ["box": ["width": 1, "height": 2]],
          ["pair": [1, "a"]], ["user": ["name": "u"]],
        ],
      ])
  }

  private struct Formats: Serializable {
    var date = Date(timeIntervalSince1970: 1_767_225_600.25)
    var url = URL(string: "https://test.com/a?b=c") ?? URL(filePath: "/")
    var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()
    var data = Data([0, 1, 250])
    var set: Set<Int> = [3, 1, 2]
    var decimal = Decimal(string: "12.340") ?? 0
    var null = NSNull()
  }

  @Test func `K125 Foundation's values have forms of their own`() throws {
    #expect(
      try Formats().json() == [
        "date": "2026-01-01T00:00:00.250Z", "url": "https://test.com/a?b=c",
        "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "data": "AAH6", "set": [1, 2, 3],
        "decimal": .number(JSONNumber(12.34)!), "null": nil,
      ])
  }

  @Test func `K125 the forms can be chosen`() throws {
    func json(_ dates: SerializationFormat.Dates) throws -> JSONValue? {
      try Formats().json(format: SerializationFormat(dates: dates, data: .bytes))
    }
    #expect(try json(.secondsSince1970)?["date"] == 1767225600.25)
    #expect(try json(.millisecondsSince1970)?["date"] == 1_767_225_600_250)
    #expect(try json(.custom { ["at": JSONValue(Int($0))] })?["date"] == ["at": 1_767_225_600])
    #expect(try json(.iso8601)?["data"] == [0, 1, 250])
  }

  @Test func `K125 dates are those of the calendar`() throws {
    let formatter = ISO8601DateFormatter()
    // Before 1582 the formatter counts as Julius Caesar did.
    var seconds = -12_000_000_000.0
    while seconds < 253_402_300_799 {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(
        try [date].json() == [JSONValue(formatter.string(from: date))],
        "\(seconds) \(formatter.string(from: date)) \([date].serialized()!)")
      seconds += 86_400 * 365.2425 * 7 + 12_345
    }
  }

  @Test func `K125 relative URLs are told whole`() {
    let base = URL(string: "http://test.com/a/b?x")!
    for text in ["c", "/c", "?y", "http://other.com/d", ""] {
      guard let url = URL(string: text, relativeTo: base) else { continue }
      #expect([url].serialized() == [JSONValue(url.absoluteString)])
    }
  }

  private struct Encoded: Encodable {
    enum Keys: String, CodingKey { case id, nested, list, date }
    var date = Date(timeIntervalSince1970: 0)
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .id)
      try container.encode(date, forKey: .date)
      var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .nested)
      try nested.encodeNil(forKey: .id)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1.5)
      try list.encode(["a": true])
      // Back to an earlier container.
      try nested.encode("late", forKey: .list)
    }
  }

  @Test func `K126 values that are only Encodable`() async throws {
    #expect(
      [Encoded()].serialized() == [
        [
          "id": 1, "date": "1970-01-01T00:00:00Z", "nested": ["id": nil, "list": "late"],
          "list": [1.5, ["a": true]],
        ]
      ])
    let router = Router()
    router.get("/one") { _ in Encoded() }
    router.get("/many") { _ in [Encoded()] }
    router.get("/none") { _ in Encoded?.none }
    router.get("/later") { _ in
      await Task.yield()
      return Encoded()
    }
    #expect(try await router.text("/one")?.hasPrefix(#"{"id":1,"#) == true)
    #expect(try await router.text("/many")?.hasPrefix(#"[{"id":1,"#) == true)
    #expect(try await router.text("/later")?.hasPrefix(#"{"id":1,"#) == true)
    #expect(try await router.text("/none") == "")
  }

  @Test func `K126 keys that are encoded are transformed, and failures tell where`() {
    struct Score: Encodable { var userScore: Double }
    #expect([Score(userScore: 1)].serialized { $0.uppercased() } == [["USERSCORE": 1]])
    #expect {
      _ = try ["a": [Score(userScore: .infinity)]].json()
    } throws: { error in
      "\(error)" == "$.a[0].userScore is inf, which JSON has no word for"
    }
  }

  private enum Country: String, Hashable { case spain = "es", austria = "at" }
  private struct Odd: Hashable {}

  @Test func `K127 keys that are no texts`() throws {
    #expect([2: "b", 10: "a"].serialized() == ["10": "a", "2": "b"])
    #expect([Country.spain: 1, .austria: 2].serialized() == ["at": 2, "es": 1])
    #expect([AnyHashable("a"): 1, AnyHashable(2): 2].serialized() == ["2": 2, "a": 1])
    #expect {
      _ = try ["x": [Odd(): 1]].json()
    } throws: { error in
      "\(error)".hasPrefix("$.x has keys of type ") && "\(error)".contains("Odd")
    }
  }

  private final class Person: Serializable {
    var name: String
    var friends: [Person] = []
    weak var best: Person?
    unowned(unsafe) var unsafeSelf: Person?
    init(_ name: String) { self.name = name }
  }

  @Test func `K128 what is met inside itself is left out`() {
    let (ada, bob) = (Person("Ada"), Person("Bob"))
    ada.friends = [bob, ada]
    bob.friends = [ada, bob]
    bob.best = ada
    ada.best = bob
    #expect(
      ada.serialized()
        == [
          "name": "Ada", "friends": [["name": "Bob", "friends": []]], "best": ["name": "Bob", "friends": []],
        ])
    ada.friends = []
    bob.friends = []
  }

  private struct Tree: Serializable {
    var value: Int
    var children: [Tree] = []
  }

  private indirect enum List: Serializable {
    case end
    case node(Int, List)
  }

  @Test func `K128 types that contain themselves come to an end, or say that they do not`() {
    #expect(
      Tree(value: 1, children: [Tree(value: 2)]).serialized()
        == ["value": 1, "children": [["value": 2, "children": []]]])
    #expect(List.node(1, .node(2, .end)).serialized() == ["node": [1, ["node": [2, "end"]]]])
    var deep = Tree(value: 0)
    for value in 1...600 { deep = Tree(value: value, children: [deep]) }
    #expect {
      _ = try deep.json()
    } throws: { error in
      "\(error)".hasPrefix("$.children[0].children[0]") && "\(error)".contains("512")
    }
  }

  @propertyWrapper struct Stored<Value> {
    var wrappedValue: Value
    var note = 0
  }

  @propertyWrapper struct Clamped: SerializableWrapper {
    private var value: Int
    var wrappedValue: Int {
      get { min(value, 10) }
      set { value = newValue }
    }
    init(wrappedValue: Int) { value = wrappedValue }
  }

  private struct Wrapping: Serializable {
    @Stored var stored = "s"
    @Clamped var clamped = 99
    lazy var unused = 1
    lazy var used = 2
    var _plain = 3
  }

  private final class WrappingObject: Serializable {
    @Stored var stored = "s"
    @Clamped var clamped = 99
    lazy var used = 2
  }

  @Test func `K129 wrapped and lazy properties go by their declared names`() {
    var value = Wrapping()
    value.used += 1
    #expect(value.serialized() == ["stored": "s", "clamped": 10, "used": 3, "_plain": 3])
    let object = WrappingObject()
    #expect(object.serialized() == ["stored": "s", "clamped": 10])
    #expect(object.used == 2)
    #expect(object.serialized() == ["stored": "s", "clamped": 10, "used": 2])
  }

  @Test func `K130 keys have an order`() throws {
    struct Ordered: Serializable { var zebra = 1, ant = 2, Bee = 3 }
    #expect(String(decoding: try Ordered().jsonBytes()!, as: UTF8.self) == #"{"zebra":1,"ant":2,"Bee":3}"#)
    let dictionary = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", $0) })
    let keys = try #require(dictionary.serialized()?.members).map(\.name.text)
    #expect(keys == dictionary.keys.sorted())
    let again = Dictionary(uniqueKeysWithValues: dictionary.shuffled())
    #expect(try dictionary.jsonBytes() == again.jsonBytes())
  }

  @Test func `K130 dictionaries and sets have an order in encoded values, too`() {
    struct Pair: Hashable, Codable { var n: Int }
    struct Encoded: Encodable {
      let names = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", $0) })
      let pairs = Dictionary(uniqueKeysWithValues: (0..<50).map { (Pair(n: $0), $0) })
      let numbers = Set(0..<50)
    }
    let value = [Encoded()].serialized()?.array?.first
    #expect(value?["names"]?.members?.map(\.name.text) == (0..<50).map { "k\($0)" }.sorted())
    #expect(value?["numbers"]?.array?.compactMap(\.int) == (0..<50).sorted { "\($0)" < "\($1)" })
    let pairs = value?["pairs"]?.array ?? []
    #expect(pairs.count == 100)
    #expect(pairs[0] == ["n": 0])
    #expect(pairs[1] == 0)
    #expect(pairs[2] == ["n": 10])
    #expect(pairs[3] == 10)
  }

  @Test func `K130 of two keys that become one the later one stays`() {
    struct Twice: Serializable { var userName = 1, user_name = 2, other = 3 }
    #expect(SnakecaseTransformer(Twice()).serialized() == ["user_name": 2, "other": 3])
  }

  @Test func `K131 serialisation wants no router`() throws {
    #expect(try User(name: "x").jsonBytes() == Array(#"{"name":"x"}"#.utf8))
  }

  @Test func `K107 a type that is neither Serializable nor Encodable is told`() {
    struct Hidden {}
    struct Holder: Serializable { var list: [String: Hidden] }
    #expect {
      _ = try Holder(list: ["a": Hidden()]).json()
    } throws: { error in
      "\(error)".hasPrefix("$.list.a is of type ") && "\(error)".contains("Hidden")
    }
    #expect(Holder(list: ["a": Hidden()]).serialized() == nil)
    #expect(throws: SerializationError.self) { try ["f": { 1 } as Any].json() }
  }

  @Test func `texts are escaped and numbers written as JavaScript does`() throws {
    let texts: [any Serializable] = [
      "\"\\\n\u{1}é🙂", 1.0, -0.0, 1e300, 0.1, Float(0.1), UInt64.max, Int8.min, true, Character("x"),
      "sub".dropFirst(),
    ]
    #expect(
      try texts.jsonBytes().map { String(decoding: $0, as: UTF8.self) }
        == #"["\"\\\n\u0001é🙂",1,-0,1e+300,0.1,0.1,18446744073709551615,-128,true,"x","ub"]"#)
  }
}
