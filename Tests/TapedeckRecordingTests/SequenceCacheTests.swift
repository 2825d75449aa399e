import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// The fast path agrees with the slow one: `SequenceCache` with `RequestMatcher.write`.
@Suite struct SequenceCacheTests {
  /// What a cassette is compared by, in all the ways that change what a key is made of.
  private static let matchers: [RequestMatcher] = {
    func rules(_ change: (inout MatchRules) -> Void) -> MatchRules {
      var rules = MatchRules()
      change(&rules)
      return rules
    }
    let redaction = Redaction(upstream: "http://origin.test")
    return [
      RequestMatcher(redaction: redaction), RequestMatcher(),
      RequestMatcher(rules { $0.bodyForm = .bytes }, redaction: redaction),
      RequestMatcher(
        rules { $0.ignoredPaths = Set([try? JSONPath("$.when")].compactMap(\.self)) }, redaction: redaction),
      RequestMatcher(
        rules { $0.ignoredFields = Set([NamePattern("when".utf8)].compactMap(\.self)) }, redaction: redaction),
      RequestMatcher(rules { $0.headers = ["x-mark"] }, redaction: redaction),
      RequestMatcher(rules { $0.parts.insert(.host) }, redaction: redaction),
      RequestMatcher(redaction: redaction, comparesOrigin: true),
      RequestMatcher(rules { $0.parts.remove(.body) }, redaction: redaction),
      RequestMatcher(rules { $0.bodyForm = .form }, redaction: redaction),
    ]
  }()

  private static let requestsPerCassette = 50

  @Test(arguments: matchers.indices)
  func `a request gets what it would get without the cache, and so does one that is almost the same`(
    _ kind: Int
  ) throws {
    var generator = SeededGenerator(UInt64(kind))
    let cache = SequenceCache()
    var (hits, others) = (0, 0)
    let pairs = (LimitTests.isLong ? 1_000_000 : 2_000) / Self.matchers.count
    for _ in 0..<pairs / Self.requestsPerCassette {
      let firsts = (0..<Self.requestsPerCassette).map { _ in HTTPRequest.random(&generator) }
      let cassette = Self.cassette(firsts, Self.matchers[kind])
      for first in firsts {
        var second = first
        second.change(&generator)
        let (one, two) = (cassette.sequence(for: first), cassette.sequence(for: second))
        for (request, expected) in [(first, one), (second, two)] {
          var key = KeyWriter()
          let found = cassette.sequence(for: request, using: &key, cache)
          #expect(found === expected, "\(request) in \(cassette.matcher.rules.items)")
          guard SequenceCache.keeps(request, of: cassette.count) else { continue }
          let known = cache.index(for: request, in: cassette.number)
          #expect(known.map(cassette.sequence(at:)) === expected)
          if known != nil { hits += 1 }
        }
        if one !== two { others += 1 }
      }
    }
    #expect(hits > pairs)
    #expect(others > pairs / 10)
  }

  @Test func `a request that repeats a recorded body is found by its bytes alone`() {
    let redaction = Redaction(upstream: "http://origin.test")
    let matcher = RequestMatcher(redaction: redaction)
    func request(_ body: String, _ fields: [(String, String)]) -> HTTPRequest {
      var request = HTTPRequest(.post, "/p", body: Array(body.utf8))
      request.fields = RecordingTestSupport.fields(fields)
      return request
    }
    let json = ("Content-Type", "application/json")
    let recorded = request(#"{"a":"Zq8hunter2"}"#, [("Host", "origin.test"), json])
    let hidden = request(#"{"password":"Zq8hunter2"}"#, [("Host", "origin.test"), json])
    let interactions = [recorded, hidden].enumerated().map { number, request in
      var interaction = exchange()
      interaction.request = redaction.redacted(request)
      return StoredInteraction("\(number).json", interaction, key: matcher.key(for: interaction.request))
    }
    let index = RecordedBodyIndex(interactions) { key in interactions.firstIndex { $0.key == key } }
    func found(_ request: HTTPRequest) -> Int? { index.sequence(for: request, matcher) }

    #expect(found(request(#"{"a":"Zq8hunter2"}"#, [json, ("X-Request-Id", "1764000000")])) == 0)
    #expect(found(request(#"{"a":"Zq8hunter2"}"#, [("Authorization", "Bearer Xw3sesame9"), json])) == 0)
    // Its placeholders were recorded, and a client may send them.
    #expect(found(interactions[1].recorded.request) == 1)
    // These need their keys: the secret is redacted in the body, the type is another, a byte differs.
    #expect(found(request(#"{"a":"Zq8hunter2"}"#, [("Authorization", "Bearer Zq8hunter2"), json])) == nil)
    #expect(found(request(#"{"a":"Zq8hunter2"}"#, [("Content-Type", "text/plain")])) == nil)
    #expect(found(request(#"{"a":"Zq8hunter2"}"#, [json, ("Range", "bytes=0-1")])) == nil)
    #expect(found(request(#"{"a": "Zq8hunter2"}"#, [json])) == nil)
    #expect(found(hidden) == nil)
  }

  @Test func `it takes bounded memory, and begins anew when it is full`() {
    let cache = SequenceCache()
    func request(_ number: Int) -> HTTPRequest {
      HTTPRequest(.post, "/\(number)", body: Array(repeating: 7, count: 1 << 20 - 64))
    }
    for number in 0..<9 {
      cache.keep(number, for: request(number), in: 1, recorded: [])
      #expect(cache.index(for: request(number), in: 1) == number)
    }
    #expect(cache.index(for: request(0), in: 1) == nil)
    let large = HTTPRequest(.post, "/", body: Array(repeating: 7, count: 1 << 20 + 1))
    cache.keep(0, for: large, in: 1, recorded: [])
    #expect(cache.index(for: large, in: 1) == nil)
    // What the recording holds already takes nothing more.
    cache.keep(0, for: large, in: 1, recorded: large.body)
    #expect(cache.index(for: large, in: 1) == 0)
    #expect(cache.index(for: large, in: 2) == nil)
  }

  private static func cassette(_ requests: [HTTPRequest], _ matcher: RequestMatcher) -> Cassette {
    let interactions = requests.enumerated().map { number, request in
      var interaction = exchange()
      interaction.request = matcher.redaction.redacted(request)
      let stored = StoredInteraction(
        "\(number).json", interaction, key: matcher.key(for: interaction.request))
      // So that there are hints.
      _ = stored.keep(
        prepared: PreparedResponse(HTTPResponse(head: HTTPResponseHead(status: 200)), to: request.method))
      return stored
    }
    return Cassette(
      path: "c", upstream: nil, matcher: matcher, recordedRules: matcher.rules, interactions: interactions,
      warnings: [])
  }
}

extension HTTPRequest {
  private static let types = [
    "application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/plain",
    "multipart/form-data; boundary=b",
  ]

  private static let names = ["a", "b", #"\u0061"#, "password", "when", "query", "token"]
  private static let values = [
    "1", "1.0", "1e0", "-0", "12345678901234567890", #""x""#, #""\u0078""#, #""Zq8hunter2""#, "null",
    "[1, 2]", #"{"b": 1, "a": 2}"#, #""query { a b }""#, #""query{a,b}""#,
    #""ghp_16C7e42F292c6912E7710c838347Ae178B4a""#,
  ]

  /// The members of a document, as an API's client writes them.
  private static func members(_ generator: inout SeededGenerator) -> [String] {
    (0..<1 + generator.below(3)).map { _ in
      "\"\(names[generator.below(names.count)])\":\(values[generator.below(values.count)])"
    }
  }

  fileprivate static func random(_ generator: inout SeededGenerator) -> HTTPRequest {
    let text =
      switch generator.below(8) {
      case 0: "a=1&when=2&password=Zq8hunter2"
      case 1: "--b\r\nContent-Disposition: form-data; name=\"when\"\r\n\r\n1\r\n--b--\r\n"
      case 2: ""
      default: "{\(members(&generator).joined(separator: ","))}"
      }
    var request = HTTPRequest(
      .post, ["/p", "/q?a=1&b=2", "/p?token=Zq8hunter2"][generator.below(3)], body: Array(text.utf8))
    request.authority = Array("api.test".utf8)
    request.fields = RecordingTestSupport.fields(
      [("Host", "api.test"), ("Content-Type", types[generator.below(types.count)])]
        + [("Authorization", "Bearer Zq8hunter2"), ("X-Mark", "m")].filter { _ in generator.below(2) == 0 })
    return request
  }

  /// Changes one thing, as much as one byte or as little as how it is spelled.
  fileprivate mutating func change(_ generator: inout SeededGenerator) {
    let text = String(decoding: body, as: UTF8.self)
    switch generator.below(16) {
    case 0...3: generator.mutate(&body)
    case 4: body = Array(text.replacing("1", with: "1.0").utf8)
    case 5: body = Array(text.replacing(",", with: " ,\n").utf8)
    case 6: body = Array(text.replacing("}", with: ",\"a\":1}").utf8)
    case 7:
      let members = text.dropFirst().dropLast().split(separator: ",").reversed()
      body = Array("{\(members.joined(separator: ","))}".utf8)
    case 8: body = Array(text.replacing("Zq8hunter2", with: "Zq8hunter3").utf8)
    case 9: generator.mutate(&target)
    case 10: authority = Array("other.test:8080".utf8)
    case 11: (method, scheme) = generator.below(2) == 0 ? (.put, .http) : (method, .https)
    case 12: trailers = RecordingTestSupport.fields([("X-Sum", "Zq8hunter2")])
    default:
      let others = [
        ("Content-Type", Self.types[generator.below(Self.types.count)]), ("Authorization", "Bearer x"),
        ("Cookie", "sid=Zq8hunter2"), ("X-Mark", "n"), ("Range", "bytes=0-1"),
        ("Content-Encoding", "identity"),
        ("X-Amz-Target", "Db_1.Get"), ("Content-Encoding", "gzip"), ("Accept", "*/*"),
      ]
      let (name, value) = others[generator.below(others.count)]
      if generator.below(2) == 0 { fields.removeAll { String(decoding: $0.name, as: UTF8.self) == name } }
      fields = RecordingTestSupport.fields(
        fields.map { (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
          + [(name, value)])
    }
  }
}
