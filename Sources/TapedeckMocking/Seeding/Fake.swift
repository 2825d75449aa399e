/// Realistic values; the same seed gives the same values in the same order.
///
/// ```swift
/// var fake = Fake(seed: 7)
/// fake.name()        // a first and a last name
/// fake.sentence()
/// fake.date(within: 10, before: "2026-01-31T12:00:00Z")
/// ```
///
/// It is also a random number generator: `list.shuffled(using: &fake)`.
public struct Fake: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Creates a generator.
  public init(seed: UInt64 = 0) { generator = SplitMix64(state: seed) }

  /// Creates the generator of one entity, independent of the others.
  package init(seed: UInt64, of type: String, number: Int) {
    // FNV-1a, because Swift's hashes differ from run to run.
    let hash = type.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var mixer = SplitMix64(state: seed ^ hash)
    generator = SplitMix64(state: mixer.next() &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    generator.state = generator.next()
  }

  /// The next random number.
  public mutating func next() -> UInt64 { generator.next() }

  // MARK: Choices

  /// A number in the range.
  public mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

  /// A number in the range.
  public mutating func double(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }

  /// Returns true with this probability.
  public mutating func bool(_ probability: Double = 0.5) -> Bool { double(0...1) < probability }

  /// An element of a list, which must not be empty.
  public mutating func element<Element>(of list: [Element]) -> Element {
    precondition(!list.isEmpty, "there is nothing to choose from")
    return list[int(0...(list.count - 1))]
  }

  // MARK: People and places

  /// A first name.
  public mutating func firstName() -> String { element(of: Self.firstNames) }
  /// A last name.
  public mutating func lastName() -> String { element(of: Self.lastNames) }
  /// A first and a last name.
  public mutating func name() -> String { "\(firstName()) \(lastName())" }
  /// A user name like `ada.weber7`.
  public mutating func username() -> String { "\(firstName()).\(lastName())\(int(1...99))".lowercased() }
  /// An email address at example.com (RFC 2606 §3).
  public mutating func email() -> String { "\(username())@example.com" }
  /// The name of a town.
  public mutating func city() -> String { element(of: Self.cities) }
  /// A house number and a street.
  public mutating func street() -> String { "\(int(1...199)) \(lastName()) Street" }
  /// The name of a company.
  public mutating func company() -> String { "\(lastName()) \(element(of: Self.trades))" }
  /// A URL at example.com.
  public mutating func url() -> String { "https://example.com/\(word())/\(int(1...9999))" }

  // MARK: Texts

  /// A word of Lorem ipsum.
  public mutating func word() -> String { element(of: Self.lorem) }

  /// A number of words of Lorem ipsum.
  public mutating func words(_ count: Int) -> [String] { (0..<max(0, count)).map { _ in word() } }

  /// A few words with an initial capital.
  public mutating func title() -> String { Self.capitalized(words(int(2...5)).joined(separator: " ")) }

  /// A sentence.
  public mutating func sentence() -> String {
    Self.capitalized(words(int(4...12)).joined(separator: " ")) + "."
  }

  /// A number of sentences.
  public mutating func sentences(_ count: Int) -> String {
    (0..<max(0, count)).map { _ in sentence() }.joined(separator: " ")
  }

  /// Three to six sentences.
  public mutating func paragraph() -> String { sentences(int(3...6)) }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  // MARK: Ids and times

  /// A UUID in lower case.
  public mutating func uuid() -> String { generator.uuid() }

  /// A time within the given days before `end`, as ISO 8601 in UTC with whole seconds.
  /// - Parameter end: in the same form; if invalid, the beginning of 2026.
  public mutating func date(within days: Double, before end: String = "2026-01-01T00:00:00Z") -> String {
    let latest = ISO8601.seconds(end) ?? 1_767_225_600
    return ISO8601.text(secondsSince1970: (latest - double(0...max(0, days)) * 86_400).rounded())
  }
}
