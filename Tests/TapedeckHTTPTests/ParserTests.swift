import Testing
@testable import TapedeckHTTP
@Test func placeholder() {}
