import MockingSupport
import TapedeckHTTP
import Testing

@testable import TapedeckMocking

private struct Scalars: Serializable {
  var text = "t", empty = "", long = String(repeating: "long ", count: 20)
  var int = -1, small: Int8 = 2, byte: UInt8 = 3, big: UInt64 = .max, flag = true
  var double = 1.25, float: Float = 2.5, character: Character = "c"
}

private struct Odd: Serializable {
  var byte: UInt8 = 1
  var optionalByte: UInt8? = 2
  var flag: Bool? = true
  var int: Int? = 3
  var none: Int?
  var nested: Scalars? = Scalars()
  var tuple = (1, b: "x")
  var named = (a: 1, b: Optional("x"))
  var any: Any = 7
  var anyOptional: Any? = "o"
  var existential: any Serializable = Scalars()
  var list: [any Serializable] = [1, "two", Scalars()]
  var dictionary: [String: Any] = ["z": 1, "a": ["b": nil, "c": [1]] as [String: [Int]?]]
  var set: Set<String> = ["b", "a"]
  var policy = PropertyPolicy.some([1])
  var null = PropertyPolicy<Int>.null
  var array2: [[Int?]] = [[1, nil], []]
  var slice = [1, 2, 3].dropFirst().map { $0 }
}

private struct Generic<A, B>: Serializable {
  var a: A
  var between: UInt16 = 9
  var b: B
}

private struct Empty: Serializable {}

private final class Object: Serializable {
  var name = "object"
}

private struct Holding: Serializable {
  var object = Object()
  weak var gone: Object?
  unowned var other: Object
  unowned(unsafe) var raw: Object
  var after = "after"
}

private struct WithFunction: Serializable {
  var before = 1
  var closures: [Int] = []
  var kind: Any.Type = Int.self
}

private struct Reflected: Serializable, CustomReflectable {
  var secret = "x"
  var customMirror: Mirror { Mirror(self, children: ["shown": 1, "alsoShown": [secret]]) }
}

@Suite struct `Reflection held against Mirror` {
  /// The same value by its plan, and by `Mirror` alone.
  private func compare<T: Serializable>(_ value: T, isPlanned: Bool = true) throws {
    var planned = SerializationRun()
    #expect(try planned.write(value))
    var mirrored = SerializationRun()
    #expect(try mirrored.write(object: properties(of: Mirror(reflecting: value))))
    #expect(
      String(decoding: planned.out, as: UTF8.self) == String(decoding: mirrored.out, as: UTF8.self),
      "\(T.self)")
    #expect((StructurePlan(of: T.self) != nil) == isPlanned, "\(T.self)")
  }

  @Test func `plain values are planned and read alike`() throws {
    try compare(Scalars())
    try compare(Empty())
    try compare(Odd())
    try compare(Generic(a: UInt8(1), b: "x"))
    try compare(Generic(a: Optional("x"), b: [Generic(a: Int?.none, b: true)]))
    try compare(Generic(a: Object(), b: Optional(Object())))
    try compare(Generic(a: (UInt8(1), "x"), b: Generic<UInt8, any Serializable>(a: 1, b: "y")))
    try compare(Generic<Any, any Serializable>(a: Optional<Any>.some(Optional(3) as Any) as Any, b: Object()))
  }

  @Test func `weak, unowned and reflected ones are left to Mirror`() throws {
    let kept = Object()
    try compare(Holding(gone: kept, other: kept, raw: kept), isPlanned: false)
    let gone = Holding(gone: nil, other: kept, raw: kept)
    try compare(gone, isPlanned: false)
    #expect(gone.serialized()?["gone"] == nil)
    #expect(Holding(gone: kept, other: kept, raw: kept).serialized()?["gone"] == ["name": "object"])
    try compare(Reflected(), isPlanned: false)
    #expect(Reflected().serialized() == ["shown": 1, "alsoShown": ["x"]])
  }

  @Test func `what cannot be said is told by both`() {
    #expect(throws: SerializationError.self) { try WithFunction().json() }
    #expect(throws: SerializationError.self) { try Generic(a: { 1 }, b: 1).json() }
  }

  @Test func `many threads that write a type for the first time write it alike`() async throws {
    struct Fresh<Tag>: Serializable { var a = 1, b = "x", c: [Generic<Tag?, Int>] = [] }
    struct Tag {}
    let texts = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      for _ in 0..<64 { group.addTask { try Fresh<Tag>().jsonBytes() } }
      return try await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
    }
    #expect(texts == [Array(#"{"a":1,"b":"x","c":[]}"#.utf8)])
  }
}
