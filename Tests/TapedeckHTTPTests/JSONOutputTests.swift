import TestSupport
import Testing

@testable import TapedeckHTTP

/// JSON that is written piece by piece, against the same written from a value.
@Suite struct JSONOutputTests {
  private static let texts = [
    "", "a", "seven bytes", "eight bytes \"quoted\"", "\u{1}", "ü\\", String(repeating: "x", count: 300),
  ]

  private static func value(depth: Int, _ luck: inout SeededGenerator) -> JSONValue {
    let text = texts.randomElement(using: &luck) ?? ""
    switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &luck) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &luck))
    case 2: return JSONValue(Int.random(in: -2_000...2_000, using: &luck))
    case 3: return JSONValue(text)
    case 4:
      return .array((0..<Int.random(in: 0...4, using: &luck)).map { _ in value(depth: depth + 1, &luck) })
    default:
      return .object(
        (0..<Int.random(in: 0...4, using: &luck)).map { number in
          JSONMember(JSONString("name\(number)"), value(depth: depth + 1, &luck))
        })
    }
  }

  private static func write(_ value: JSONValue, to out: inout JSONOutput) {
    switch value {
    case .null: out.null()
    case .bool(let value): out.bool(value)
    case .number(let number): out.number(number.int ?? 0)
    case .string(let string): out.string(string.text)
    case .array(let items):
      out.beginArray()
      for item in items { write(item, to: &out) }
      out.endArray()
    case .object(let members):
      out.beginObject()
      for member in members {
        out.member(member.name.text)
        write(member.value, to: &out)
      }
      out.endObject()
    }
  }

  @Test(arguments: [0, 1, 256, 4096]) func `the bytes are those of the value`(capacity: Int) {
    var luck = SeededGenerator(7)
    for _ in 0..<2_000 {
      let value = Self.value(depth: 0, &luck)
      var out = JSONOutput(capacity: capacity)
      Self.write(value, to: &out)
      #expect(out.finish() == value.bytes())
    }
  }

  @Test func `a document without its white space is the value in compact form`() {
    var luck = SeededGenerator(8)
    for style in [JSONStyle.compact, .spaced, .pretty, JSONStyle(.tabs), JSONStyle(.indented(4))] {
      for _ in 0..<400 {
        let value = Self.value(depth: 0, &luck)
        let compaction = JSONCompaction(value.bytes(style))
        #expect(compaction.map { Array($0.bytes) } == value.bytes())
      }
    }
  }
}
