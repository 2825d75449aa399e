import TapedeckHTTP
import TapedeckMocking
import Testing

@testable import TapedeckOverrides

private func fault(_ text: String) throws -> RequestRule<Fault>? {
  let overrides = Overrides()
  try overrides.take(#"{"faults": [\#(text)]}"#)
  return overrides.faults.table.entries.first?.rule
}

@Suite struct FaultTests {
  @Test(
    arguments: [
      (#""type": "latency", "latency": 100, "jitter": 20"#, .latency(milliseconds: 100, jitter: 20)),
      (#""type": "bandwidth", "rate": 10"#, .bandwidth(rate: 10)),
      (#""type": "slow_close", "delay": 5"#, .slowClose(milliseconds: 5)),
      (#""type": "timeout""#, .timeout(milliseconds: 0)),
      (#""type": "reset_peer", "timeout": 7"#, .resetPeer(milliseconds: 7)),
      (
        #""type": "slicer", "average_size": 10, "size_variation": 2, "delay": 3"#,
        .slicer(averageSize: 10, variation: 2, microseconds: 3)
      ),
      (#""type": "limit_data", "bytes": 0"#, .limitData(bytes: 0)),
      (#""type": "empty_response""#, .emptyResponse),
      (#""type": "malformed_response_chunk""#, .malformedResponseChunk),
      (#""type": "random_data_then_close""#, .randomDataThenClose),
    ] as [(String, Fault)])
  func `a fault is read`(_ members: String, _ expected: Fault) throws {
    #expect(try fault("{\"path\": \"/*\", \(members)}")?.effect == expected)
    let json = try JSONValue(parsing: Array("{\(members)}".utf8))
    #expect(try Fault(json, at: "fault") == expected)
  }

  @Test func `a fault that is its type alone is read from a text`() throws {
    #expect(try Fault("empty_response", at: "fault") == .emptyResponse)
    #expect(throws: OverrideProblem("fault.latency", "is missing")) { try Fault("latency", at: "fault") }
    #expect(throws: OverrideProblem.self) { try Fault(["type": "timeout", "seed": 1], at: "fault") }
  }

  @Test(arguments: [
    (#"{"path": "/"}"#, "faults[0].type: must be one of latency, bandwidth"),
    (#"{"path": "/", "type": "EMPTY_RESPONSE"}"#, "faults[0].type: must be one of"),
    (#"{"path": "/", "type": "latency"}"#, "faults[0].latency: is missing"),
    (#"{"path": "/", "type": "latency", "latency": "1s"}"#, "faults[0].latency: must be a whole number"),
    (#"{"path": "/", "type": "latency", "latency": 1, "rate": 1}"#, "faults[0].rate: unknown member"),
    (#"{"path": "/", "type": "bandwidth", "rate": 0}"#, "faults[0].rate"),
    (
      #"{"path": "/", "type": "slicer", "average_size": 5, "size_variation": 5}"#,
      "must be less than average_size"
    ),
    (#"{"path": "/", "type": "timeout", "toxicity": 2}"#, "faults[0].toxicity"),
    (#"{"path": "/", "type": "timeout", "probability": 1}"#, "faults[0].probability: unknown member"),
  ])
  func `a wrong fault says where and what`(_ text: String, problem: String) {
    #expect {
      _ = try fault(text)
    } throws: { error in
      "\(error)".hasPrefix("o.json:") && "\(error)".contains(problem)
    }
  }

  @Test func `a body drips at its rate, whatever came at once and however late it came`() {
    var clock = DripClock(.bandwidth(bytesPerMillisecond: 10))
    var (now, sent) = (Int64(0), 0)
    while sent < 1000 {
      switch clock.next(available: 1000 - sent, now: now) {
      case .send(let count): sent += count
      case .wait(let due): now = due
      }
    }
    #expect(now == 100_000_000)
    // Idle time is not made up for.
    #expect(clock.next(available: 50, now: 900_000_000) == .wait(untilNanoseconds: 905_000_000))
    #expect(clock.next(available: 500, now: 905_000_000) == .send(50))
  }

  @Test func `slices are the same for a seed however the bytes arrive`() {
    func cuts(_ arrivals: [Int], seed: UInt64) -> [Int] {
      var clock = DripClock(.slices(5...15, SplitMix64(state: seed), pauseNanoseconds: 1_000))
      var (now, offset, cuts) = (Int64(0), 0, [Int]())
      for var available in arrivals {
        while available > 0 {
          switch clock.next(available: available, now: now) {
          case .send(let count):
            offset += count
            available -= count
          case .wait(let due):
            if cuts.last != offset { cuts.append(offset) }
            now = due
          }
        }
      }
      return cuts
    }
    let whole = cuts([1000], seed: 7)
    #expect(whole.count > 60)
    #expect(zip([0] + whole, whole).allSatisfy { (5...15).contains($1 - $0) })
    #expect(cuts([1, 2, 3, 400, 594], seed: 7) == whole)
    #expect(cuts([1000], seed: 8) != whole)
  }

  @Test func `a seed decides which requests are hit, and of how long nothing else`() throws {
    func run(seed: Int) throws -> [UInt64?] {
      let rule = try #require(
        try fault(#"{"path": "/*", "type": "timeout", "toxicity": 0.3, "seed": \#(seed)}"#))
      var usage = RuleUsage()
      return (0..<200).map { _ in
        guard let claim = usage.claim(rule.limits) else { return nil }
        var generator = rule.limits.generator(beyondDiceOf: claim.turn)
        return generator.next()
      }
    }
    let first = try run(seed: 1)
    #expect(try run(seed: 1) == first)
    #expect(try run(seed: 2) != first)
    let hits = first.compactMap(\.self)
    #expect((40...80).contains(hits.count))
    // The dice gave all of them a low number; what comes after it is spread.
    #expect(hits.contains { $0 > UInt64.max / 10 * 7 } && hits.contains { $0 < UInt64.max / 10 * 3 })
  }
}
