/// Singulars and plurals of words, for the names of collections.
///
/// ```swift
/// let inflector = Inflector.english.adding(irregular: ["kakapo": "kakapo"], uncountable: ["plankton"])
/// inflector.plural("blogPerson")   // blogPeople
/// let store = Store(inflector: inflector)
/// ```
///
/// Only the last word of a name changes, and capital letters stay.
public struct Inflector: Sendable {
  private var plurals: [String: String]
  private var singulars: [String: String]
  private var uncountable: Set<String>
  private var pluralRule: @Sendable (String) -> String
  private var singularRule: @Sendable (String) -> String

  /// Creates an inflector; all its words are in lower case.
  /// - Parameter irregular: plurals by singular.
  public init(
    irregular: [String: String] = [:], uncountable: Set<String> = [],
    plural: @escaping @Sendable (String) -> String, singular: @escaping @Sendable (String) -> String
  ) {
    (plurals, singulars, self.uncountable) = ([:], [:], [])
    (pluralRule, singularRule) = (plural, singular)
    self = adding(irregular: irregular, uncountable: uncountable)
  }

  /// An inflector with more exceptions; later ones take precedence.
  public func adding(irregular: [String: String] = [:], uncountable: Set<String> = []) -> Inflector {
    var inflector = self
    for (singular, plural) in irregular {
      inflector.plurals[singular] = plural
      inflector.singulars[plural] = singular
      inflector.uncountable.remove(singular)
    }
    for word in uncountable {
      inflector.plurals[word] = nil
      inflector.uncountable.insert(word)
    }
    return inflector
  }

  /// The plural of a name.
  public func plural(_ name: String) -> String {
    change(name, plurals, singulars, pluralRule)
  }

  /// The singular of a name.
  public func singular(_ name: String) -> String {
    change(name, singulars, plurals, singularRule)
  }

  /// Changes the last word of a name, unless it already has the wanted form.
  private func change(
    _ name: String, _ known: [String: String], _ results: [String: String], _ rule: (String) -> String
  ) -> String {
    guard let last = KeyStyle.words(name[...]).last, name.hasSuffix(last) else { return name }
    let small = last.lowercased()
    if uncountable.contains(small) { return name }
    let changed = known[small] ?? (results[small] == nil ? rule(small) : small)
    // Letters that stay keep their case: `userID` becomes `userIDs`, `Person` becomes `People`.
    let common = zip(changed, small).prefix { $0 == $1 }.count
    return String(name.dropLast(last.count)) + String(last.prefix(common)) + String(changed.dropFirst(common))
  }
}

extension Inflector {
  /// English with its common exceptions.
  public static let english = Inflector(
    irregular: [
      "child": "children", "foot": "feet", "goose": "geese", "man": "men", "mouse": "mice", "ox": "oxen",
      "person": "people", "tooth": "teeth", "woman": "women", "calf": "calves", "half": "halves",
      "knife": "knives", "leaf": "leaves", "life": "lives", "loaf": "loaves", "self": "selves",
      "shelf": "shelves", "thief": "thieves", "wife": "wives", "wolf": "wolves", "echo": "echoes",
      "hero": "heroes", "potato": "potatoes", "tomato": "tomatoes", "veto": "vetoes", "quiz": "quizzes",
      "analysis": "analyses", "axis": "axes", "basis": "bases", "crisis": "crises",
      "diagnosis": "diagnoses", "thesis": "theses", "criterion": "criteria", "movie": "movies",
      "cookie": "cookies", "cache": "caches",
    ],
    uncountable: [
      "aircraft", "equipment", "feedback", "fish", "information", "metadata", "money", "news", "rice",
      "series", "sheep", "software", "species", "staff",
    ],
    plural: englishPlural, singular: englishSingular)

  private static let hissing = ["s", "x", "z", "ch", "sh"]

  private static func englishPlural(_ word: String) -> String {
    if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
      return word.dropLast() + "ies"
    }
    return word + (hissing.contains { word.hasSuffix($0) } ? "es" : "s")
  }

  private static func englishSingular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    if word.hasSuffix("es"), hissing.contains(where: { word.dropLast(2).hasSuffix($0) }) {
      let stem = word.dropLast(2)
      // `houses` and `cases` lose one letter, `statuses`, `viruses` and `classes` two.
      let isOfE =
        (stem.hasSuffix("s") && !stem.hasSuffix("ss") && !endsLikeStatus(stem))
        || (stem.hasSuffix("z") && !stem.hasSuffix("zz"))
      return String(isOfE ? word.dropLast() : stem)
    }
    if word.hasSuffix("s"), !["ss", "us", "is"].contains(where: { word.hasSuffix($0) }) {
      return String(word.dropLast())
    }
    return word
  }

  private static func endsLikeStatus(_ stem: Substring) -> Bool {
    ["tus", "rus", "nus", "pus", "cus", "lus"].contains { stem.hasSuffix($0) } || stem.hasSuffix("ias")
  }
}
