import Testing

@testable import TapedeckProxy

/// Every mode in every situation, with an upstream.
private let table: [(RecordMode, RecordingSituation, cassetteExists: Bool, Disposition)] = [
  (.none, .recorded, true, .replay), (.none, .exhausted, true, .refuse), (.none, .unknown, true, .refuse),
  (.none, .unknown, false, .refuse),
  (.once, .recorded, true, .replay), (.once, .exhausted, true, .refuse), (.once, .unknown, true, .refuse),
  (.once, .unknown, false, .record),
  (.newEpisodes, .recorded, true, .replay), (.newEpisodes, .exhausted, true, .record),
  (.newEpisodes, .unknown, true, .record), (.newEpisodes, .unknown, false, .record),
  (.all, .recorded, true, .record), (.all, .exhausted, true, .record), (.all, .unknown, true, .record),
  (.all, .unknown, false, .record),
  (.passthrough, .recorded, true, .forward), (.passthrough, .exhausted, true, .forward),
  (.passthrough, .unknown, true, .forward), (.passthrough, .unknown, false, .forward),
]

@Test func `the table covers every mode in every situation`() {
  for mode in RecordMode.allCases {
    for situation in RecordingSituation.allCases {
      #expect(table.contains { $0.0 == mode && $0.1 == situation && $0.cassetteExists })
    }
    #expect(table.contains { $0.0 == mode && !$0.cassetteExists })
  }
}

@Test func `each mode does as it says`() {
  for (mode, situation, cassetteExists, expected) in table {
    #expect(
      mode.disposition(situation, cassetteExists: cassetteExists, hasUpstream: true) == expected,
      "\(mode), \(situation), cassette \(cassetteExists ? "there" : "absent")")
  }
}

@Test(arguments: RecordMode.allCases, RecordingSituation.allCases)
func `without an upstream nothing is ever asked for`(_ mode: RecordMode, _ situation: RecordingSituation) {
  for cassetteExists in [true, false] {
    let disposition = mode.disposition(situation, cassetteExists: cassetteExists, hasUpstream: false)
    #expect(disposition == .replay || disposition == .refuse)
  }
}

@Test(
  arguments: [
    (RecordMode.none, false, false), (.once, true, false), (.newEpisodes, true, true), (.all, true, true),
    (.passthrough, false, false),
  ] as [(RecordMode, Bool, Bool)])
func `a cassette is opened for writing only where something may be recorded`(
  _ mode: RecordMode, absent: Bool, there: Bool
) {
  #expect(mode.mayRecord(cassetteExists: false) == absent)
  #expect(mode.mayRecord(cassetteExists: true) == there)
}

/// What is never recorded needs no writer, and what is recorded needs one.
@Test(arguments: RecordMode.allCases, [true, false])
func `whether a mode may record is what it does`(_ mode: RecordMode, cassetteExists: Bool) {
  let records = RecordingSituation.allCases.contains { situation in
    mode.disposition(situation, cassetteExists: cassetteExists, hasUpstream: true) == .record
  }
  #expect(mode.mayRecord(cassetteExists: cassetteExists) == records)
}
