import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct NamesTests {
  @Test(
    "C14 names are made of letters, digits and dashes",
    arguments: [
      ("GET", "/CON", "get-con"), ("GET", "/-rf", "get-rf"), ("GET", "/.", "get-root"),
      ("GET", "/😀", "get-root"),
      ("GET", "/a%2F..%2Fb", "get-a-2f-2fb"), ("GET", "/a\\b:c*?", "get-a-b-c"),
      ("GET", "/" + String(repeating: "x", count: 300), "get-" + String(repeating: "x", count: 60)),
      ("GET", "/", "get-root"), ("GET", "*", "get-root"), ("GET", "/users/octocat?x=1", "get-users-octocat"),
      ("DELETE", "/A/b_C.d//é%20/", "delete-a-b-c-d-20"), ("M-SEARCH", "/x", "m-search-x"),
      ("!!", "/x", "method-x"),
      ("GET", "/../../etc/passwd", "get-etc-passwd"),
      (
        "GET", "/" + String(repeating: "ab/", count: 40),
        "get-" + String(repeating: "ab-", count: 19) + "ab"
      ),
    ])
  func prefixes(method: String, target: String, expected: String) {
    #expect(CassetteNames.prefix(of: HTTPRequest(HTTPMethod(rawValue: method), target)) == expected)
  }

  @Test(arguments: [
    ("a.json", "a", 1), ("a.2.json", "a", 2), ("a.10.json", "a", 10), ("a.1.json", "a.1", 1),
    ("a.02.json", "a.02", 1),
    ("a.+2.json", "a.+2", 1), ("a.b.json", "a.b", 1), ("a..json", "a.", 1),
    ("a.99999999999999999999.json", "a.99999999999999999999", 1),
    ("a.9223372036854775807.json", "a.9223372036854775807", 1), ("a.999999999.json", "a", 999_999_999),
  ])
  func ordinals(name: String, stem: String, ordinal: Int) {
    #expect(CassetteNames.parse(name) == (stem, ordinal))
  }

  private func digest(_ hex: String) -> SHA256Digest {
    let digits = Array((hex + String(repeating: "0", count: 64 - hex.count)).utf8).map {
      ASCII.hexValue($0) ?? 0
    }
    return SHA256Digest(bytes: (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
  }

  private func recording(
    _ hex: String, prefix: String = "get-a", arrival: Int = 0, base: Int = 0
  ) -> SealPlan.Recording {
    SealPlan.Recording(digest: digest(hex), prefix: prefix, arrival: arrival, base: base)
  }

  @Test func answersAreNumberedByArrival() {
    let plan = SealPlan(
      existing: [],
      recordings: [
        recording("aaaaaa", arrival: 5), recording("bbbbbb", arrival: 2), recording("aaaaaa", arrival: 1),
        recording("aaaaaa", arrival: 3),
      ], isReplacing: false)
    #expect(
      plan.names == ["get-a-aaaaaa.3.json", "get-a-bbbbbb.json", "get-a-aaaaaa.json", "get-a-aaaaaa.2.json"])
  }

  @Test func collidingKeysGetLongerNamesInDigestOrder() {
    let recordings = [recording("aaaaaaff"), recording("aaaaaa00"), recording("aaaaaa000000ff")]
    let expected = [
      "get-a-aaaaaaff0000.json", "get-a-aaaaaa.json", "get-a-\(digest("aaaaaa000000ff").hex).json",
    ]
    let plan = SealPlan(existing: [], recordings: recordings, isReplacing: false)
    #expect(plan.names.count == 3 && Set(plan.names).count == 3)
    #expect(plan.names[1] == expected[1])
    #expect(plan.names[0] == expected[0])
    #expect(plan.names[2] == "get-a-aaaaaa000000.json")
    let reversed = SealPlan(existing: [], recordings: recordings.reversed(), isReplacing: false)
    #expect(reversed.names == plan.names.reversed())
  }

  @Test func namesThatAreThereStay() {
    let existing = [
      (name: "get-a-aaaaaa.json", digest: digest("aaaaaaff")),
      (name: "login.json", digest: digest("cc")),
      (name: "get-a-dddddd.json", digest: digest("01")),
    ]
    let plan = SealPlan(
      existing: existing,
      recordings: [
        recording("aaaaaa00"), recording("aaaaaaff", arrival: 1), recording("cc", arrival: 2),
        recording("cc", arrival: 3),
        recording("dddddd"),
      ], isReplacing: true)
    #expect(
      plan.names == [
        "get-a-aaaaaa000000.json", "get-a-aaaaaa.json", "login.json", "login.2.json",
        "get-a-dddddd000000.json",
      ])
    #expect(plan.removals.isEmpty)
  }

  @Test func `a new response stands beside those named before the operation was a part of names`() {
    let plan = SealPlan(
      existing: [
        (name: "post-graphql-aaaaaa.json", digest: digest("aaaaaa")),
        (name: "shared.json", digest: digest("bb")),
        (name: "shared.2.json", digest: digest("cc")),
      ],
      recordings: [
        recording("aaaaaa", prefix: "post-graphql-getuser", base: 1), recording("bb", base: 1),
        recording("cc", base: 2),
      ], isReplacing: false)
    #expect(plan.names == ["post-graphql-aaaaaa.2.json", "get-a-bb0000.2.json", "shared.3.json"])
  }

  @Test(arguments: [[0, 1], [1, 0]]) func `the order in which requests come makes no other names`(
    arrivals: [Int]
  ) {
    let recordings = zip(["post-a-users", "post-a-items"], arrivals).map {
      recording("aaaaaa", prefix: $0, arrival: $1)
    }
    let plan = SealPlan(existing: [], recordings: recordings, isReplacing: false)
    #expect(Set(plan.names) == ["post-a-items-aaaaaa.json", "post-a-items-aaaaaa.2.json"])
  }

  @Test func replacedAnswersBeyondTheNewOnesGo() {
    let existing = (1...3).map {
      (name: CassetteNames.name(stem: "get-a-aaaaaa", ordinal: $0), digest: digest("aaaaaa"))
    }
    let plan = SealPlan(existing: existing, recordings: [recording("aaaaaa")], isReplacing: true)
    #expect(plan.names == ["get-a-aaaaaa.json"])
    #expect(plan.removals == ["get-a-aaaaaa.2.json", "get-a-aaaaaa.3.json"])
    let appending = SealPlan(
      existing: existing, recordings: [recording("aaaaaa", base: 3)], isReplacing: false)
    #expect(appending.names == ["get-a-aaaaaa.4.json"])
    #expect(appending.removals.isEmpty)
  }
}
