import Synchronization
import TapedeckSockets
import Testing

@Test(arguments: [
  ("Example.COM", "example.com"), ("example.com.", "example.com"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
  ("[2001:DB8::1]", "2001:db8::1"), ("a_b.test", "a_b.test"), ("localhost", "localhost"), ("1.2.3", "1.2.3"),
])
func `a server's name is normalized`(_ text: String, expected: String) {
  #expect(ServerName(text)?.description == expected)
}

@Test(arguments: [
  "", ".", "a..b", "a b", "a/b", "*.test", "a\0b", "é.test", "a:1", "[::1", ".test",
  String(repeating: "a", count: 64),
  String(repeating: "a.", count: 127) + "aa",
])
func `what is no server's name is none`(_ text: String) {
  #expect(ServerName(text) == nil)
}

@Test func `the name indication is a list of one host name`() {
  func read(_ bytes: [UInt8]) -> ClientHello.NameIndication {
    bytes.withUnsafeBytes { ClientHello.nameIndication($0) }
  }
  #expect(read([0, 4, 0, 0, 1, 97]) == .name([97]))
  #expect(read([0, 3, 0, 0, 0]) == .name([]))
  for wrong: [UInt8] in [[], [0, 4, 0, 0], [0, 5, 0, 0, 1, 97], [0, 4, 1, 0, 1, 97], [0, 4, 0, 0, 2, 97]] {
    #expect(read(wrong) == .malformed)
  }
}

private func prepare(_ names: [ServerName], _ authority: CertificateAuthority) throws {
  let latch = try Latch()
  for name in names { authority.prepare(name) { latch.signal() } }
  for _ in names { latch.wait() }
}

@Test func `all that wait for a name get one certificate`() throws {
  let authority = try CertificateAuthority()
  let name = ServerName.dns("a.test")
  #expect(authority.certificate(for: name) == nil)
  try prepare([ServerName](repeating: name, count: 50), authority)
  let first = try #require(authority.certificate(for: name))
  #expect(authority.certificate(for: name) === first)
}

@Test func `old certificates are forgotten`() throws {
  let authority = try CertificateAuthority()
  let names = (0..<2_100).map { ServerName.dns("\($0).test") }
  let kept = names[0]
  try prepare([kept], authority)
  for chunk in stride(from: 1, to: names.count, by: 300) {
    try prepare(Array(names[chunk..<min(names.count, chunk + 300)]), authority)
    #expect(authority.certificate(for: kept) != nil, "it is in use")
  }
  #expect(authority.certificate(for: names[1]) == nil)
  #expect(names.count { authority.certificate(for: $0) != nil } <= 2_000)
}

@Test func `an authority of one day makes certificates for it`() throws {
  let authority = try CertificateAuthority(days: 1)
  try prepare([.dns("a.test")], authority)
  #expect(authority.certificate(for: .dns("a.test")) != nil)
}

@Test func `a stored authority is the same, constraints and all`() throws {
  let names = ["example.com", "127.0.0.1"].compactMap { ServerName($0) }
  let made = try CertificateAuthority(domains: names)
  let read = try CertificateAuthority(
    certificatePEM: made.certificatePEM, keyPEM: made.keyPEM, files: ("certificate", "key"))
  #expect(read.refusal(of: .dns("api.example.com")) == nil)
  #expect(read.refusal(of: .address([127, 0, 0, 1])) == nil)
  #expect(read.refusal(of: .dns("example.org")) != nil)
  #expect(read.refusal(of: .address([127, 0, 0, 2])) != nil)
  #expect(throws: TLSError.self) {
    try CertificateAuthority(
      certificatePEM: made.certificatePEM, keyPEM: try CertificateAuthority().keyPEM,
      files: ("certificate", "key"))
  }
}
