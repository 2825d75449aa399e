import TapedeckSockets
import TestSupport
import Testing

/// A query for one name, as clients send it.
private func query(_ name: String, kind: UInt8 = 1, flags: UInt8 = 1, networkClass: UInt8 = 1) -> [UInt8] {
  let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  return [0xAB, 0xCD, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, kind, 0, networkClass]
}

private func code(_ response: [UInt8]?) -> UInt8? { response.map { $0[3] & 0x0F } }
private func recordCount(_ response: [UInt8]?) -> UInt8? { response?[7] }

@Test func `every name has an address of its own, whatever its case`() throws {
  let table = NameTable()
  let first = try #require(DNSMessage.response(to: query("api.Example.com"), from: table))
  let again = try #require(DNSMessage.response(to: query("API.example.COM"), from: table))
  let other = try #require(DNSMessage.response(to: query("example.com"), from: table))
  #expect(first.suffix(4) == [198, 18, 0, 2])
  #expect(again.suffix(4) == first.suffix(4))
  #expect(other.suffix(4) == [198, 18, 0, 3])
  #expect(first.prefix(12) == [0xAB, 0xCD, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
  // The question comes back as it was asked.
  #expect(Array(first.dropFirst(12).prefix(21)) == Array(query("api.Example.com").dropFirst(12)))
  #expect(table.name(of: 0xC612_0002) == Array("api.example.com".utf8))
  #expect(table.names.count == 2)
}

@Test(
  arguments: [
    ("api.example.com", 28, 0, 0), ("api.example.com", 15, 0, 0), ("api.example.com", 65, 0, 0),
    ("localhost", 1, 0, 1), ("app.localhost", 28, 0, 1), ("localhost", 16, 0, 0), ("", 2, 0, 0),
    ("api.invalid", 1, 3, 0), ("1.0.168.192.in-addr.arpa", 12, 3, 0), ("b.arpa", 1, 3, 0),
  ] as [(String, UInt8, UInt8, UInt8)])
func `what a name has not is said honestly`(_ name: String, kind: UInt8, expected: UInt8, records: UInt8) {
  let response = DNSMessage.response(to: query(name, kind: kind), from: NameTable())
  #expect(code(response) == expected)
  #expect(recordCount(response) == records)
}

@Test func `an address of ours is looked up backwards`() {
  let table = NameTable()
  _ = DNSMessage.response(to: query("api.example.com"), from: table)
  let response = DNSMessage.response(to: query("2.0.18.198.in-addr.arpa", kind: 12), from: table)
  #expect(response?.suffix(17) == [UInt8]("\u{3}api\u{7}example\u{3}com\0".utf8)[...])
  #expect(code(DNSMessage.response(to: query("3.0.18.198.in-addr.arpa", kind: 12), from: table)) == 3)
}

@Test func `what is no query for us is refused or left alone`() {
  let table = NameTable()
  #expect(DNSMessage.response(to: [], from: table) == nil)
  #expect(DNSMessage.response(to: query("a.test", flags: 0x81), from: table) == nil)
  #expect(code(DNSMessage.response(to: query("a.test", flags: 0x29), from: table)) == 4)
  #expect(code(DNSMessage.response(to: query("a.test", networkClass: 3), from: table)) == 5)
  #expect(code(DNSMessage.response(to: query("a b.test"), from: table)) == 1)
  #expect(code(DNSMessage.response(to: Array(query("a.test").dropLast()), from: table)) == 1)
  #expect(table.names.isEmpty)
}

@Test func `all addresses are given, and no more`() {
  let table = NameTable()
  var count = 0
  while count < 200_000, table.address(of: Array("\(count).test".utf8)) != nil { count += 1 }
  #expect(count == 131_069)
  #expect(code(DNSMessage.response(to: query("new.test"), from: table)) == 2)
  #expect(table.name(of: 0xC613_FFFE) == Array("131068.test".utf8))
  #expect(table.name(of: 0xC613_FFFF) == nil)
}

@Test func `mutated queries get a response to their identifier, or none`() {
  let table = NameTable()
  var random = SeededGenerator(1035)
  let seeds = [
    "api.example.com", "2.0.18.198.in-addr.arpa", "localhost", "a", String(repeating: "abcdefg.", count: 31),
  ]
  .flatMap { [query($0), query($0, kind: 12)] }
  for _ in 0..<20_000 {
    var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 4)
    guard let response = DNSMessage.response(to: bytes, from: table) else { continue }
    #expect(response.count >= 12 && response.count <= 600)
    #expect(response.prefix(2) == bytes.prefix(2) && response[2] & 0x80 != 0)
  }
}
