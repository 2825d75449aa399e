/// Values that look real: the same ones, in the same order, for the same seed.
///
/// ```swift
/// var fake = Fake(seed: 7)
/// fake.name()        // a first and a last name
/// fake.sentence()
/// fake.date(within: 10, before: "2026-01-31T12:00:00Z")
/// ```
///
/// It is a generator of random numbers, too: `list.shuffled(using: &fake)`.
public struct Fake: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  public init(seed: UInt64 = 0) { generator = SplitMix64(state: seed) }

  /// For the entity of this number, whoever makes the others, and when.
  package init(seed: UInt64, of type: String, number: Int) {
    // FNV-1a, for the hashes of Swift are others in every run.
    let hash = type.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var mixer = SplitMix64(state: seed ^ hash)
    generator = SplitMix64(state: mixer.next() &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    generator.state = generator.next()
  }

  public mutating func next() -> UInt64 { generator.next() }

  // MARK: Choices

  public mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

  public mutating func double(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }

  /// True with this probability.
  public mutating func bool(_ probability: Double = 0.5) -> Bool { double(0...1) < probability }

  /// One of these; stops the program when there are none.
  public mutating func element<Element>(of list: [Element]) -> Element {
    precondition(!list.isEmpty, "there is nothing to choose from")
    return list[int(0...(list.count - 1))]
  }

  // MARK: People and places

  public mutating func firstName() -> String { element(of: FakeWords.firstNames) }
  public mutating func lastName() -> String { element(of: FakeWords.lastNames) }
  public mutating func name() -> String { "\(firstName()) \(lastName())" }
  public mutating func username() -> String { "\(firstName()).\(lastName())\(int(1...99))".lowercased() }
  /// At a domain that is nobody's (RFC 2606 §3).
  public mutating func email() -> String { "\(username())@example.com" }
  public mutating func city() -> String { element(of: FakeWords.cities) }
  public mutating func street() -> String { "\(int(1...199)) \(lastName()) Street" }
  public mutating func company() -> String { "\(lastName()) \(element(of: FakeWords.trades))" }
  public mutating func url() -> String { "https://example.com/\(word())/\(int(1...9999))" }

  // MARK: Texts

  public mutating func word() -> String { element(of: FakeWords.lorem) }

  public mutating func words(_ count: Int) -> [String] { (0..<max(0, count)).map { _ in word() } }

  /// Words with a capital and without a full stop.
  public mutating func title() -> String { Self.capitalized(words(int(2...5)).joined(separator: " ")) }

  public mutating func sentence() -> String {
    Self.capitalized(words(int(4...12)).joined(separator: " ")) + "."
  }

  public mutating func sentences(_ count: Int) -> String {
    (0..<max(0, count)).map { _ in sentence() }.joined(separator: " ")
  }

  public mutating func paragraph() -> String { sentences(int(3...6)) }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  // MARK: Ids and times

  public mutating func uuid() -> String { UUIDText.random(using: &self) }

  /// A moment in so many days before `end`, as ISO 8601 in UTC with whole seconds; `end` is of that kind, too, and is
  /// the beginning of 2026 when it is not.
  public mutating func date(within days: Double, before end: String = "2026-01-01T00:00:00Z") -> String {
    let latest = CivilTime.seconds(iso8601: end) ?? 1_767_225_600
    return CivilTime(secondsSince1970: (latest - double(0...max(0, days)) * 86_400).rounded()).iso8601
  }
}
