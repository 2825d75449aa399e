import TapedeckSockets
import Testing

@testable import TapedeckAdmin

/// The codes of the inspector page, and the tokens that they are traded for.
@Suite struct PageAccessTests {
  private let access = PageAccess()
  private let now = MonotonicTime.now

  @Test func `a code is traded once`() throws {
    let code = try access.makeCode(now: now).text
    let token = try #require(try access.trade(code, now: now))
    #expect(try access.trade(code, now: now) == nil)
    #expect(access.accepts(token: token.text.utf8))
    #expect(token.text != code)
    #expect(!access.accepts(token: code.utf8))
  }

  @Test(arguments: ["", "0", String(repeating: "0", count: 64), String(repeating: "f", count: 100_000)])
  func `another text is traded for nothing`(_ text: String) throws {
    let code = try access.makeCode(now: now)
    #expect(try access.trade(text, now: now) == nil)
    #expect(!access.accepts(token: text.utf8))
    // It costs nobody their own code.
    #expect(try access.trade(code.text, now: now) != nil)
  }

  @Test func `a code is good for less than five minutes, and gone after the attempt`() throws {
    let (early, late) = (try access.makeCode(now: now).text, try access.makeCode(now: now).text)
    let end = now.adding(milliseconds: PageAccess.codeMilliseconds)
    #expect(try access.trade(early, now: end.adding(milliseconds: -1)) != nil)
    #expect(try access.trade(late, now: end) == nil)
    #expect(try access.trade(late, now: now) == nil)
  }

  @Test func `one code beyond the most ends the oldest`() throws {
    let codes = try (0...PageAccess.maximumCodes).map { _ in try access.makeCode(now: now).text }
    #expect(Set(codes).count == codes.count)
    #expect(
      try codes.map { try access.trade($0, now: now) != nil } == [false] + codes.dropFirst().map { _ in true }
    )
  }

  @Test func `codes that are too old do not count among the most`() throws {
    for _ in 0..<PageAccess.maximumCodes { _ = try access.makeCode(now: now) }
    let later = now.adding(milliseconds: PageAccess.codeMilliseconds)
    let codes = try (0..<PageAccess.maximumCodes).map { _ in try access.makeCode(now: later).text }
    #expect(try codes.allSatisfy { try access.trade($0, now: later) != nil })
  }

  @Test func `one token beyond the most ends the oldest`() throws {
    let tokens = try (0...PageAccess.maximumTokens).map { _ in
      try #require(try access.trade(try access.makeCode(now: now).text, now: now)).text
    }
    #expect(!access.accepts(token: tokens[0].utf8))
    #expect(tokens.dropFirst().allSatisfy { access.accepts(token: $0.utf8) })
  }

  @Test func `nothing holds after the end`() throws {
    let token = try #require(try access.trade(try access.makeCode(now: now).text, now: now))
    let code = try access.makeCode(now: now)
    access.end()
    #expect(!access.accepts(token: token.text.utf8))
    #expect(try access.trade(code.text, now: now) == nil)
    // A code that is made later is traded for nothing either.
    #expect(try access.trade(try access.makeCode(now: now).text, now: now) == nil)
  }
}
