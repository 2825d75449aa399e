/// What the values of a type say about an answer beside being its body. Found out once for each type: a failed cast is
/// slow, and most values are plain.
struct AnswerRole: OptionSet, Sendable {
  let rawValue: UInt8

  static let box = AnswerRole(rawValue: 1)
  static let transformer = AnswerRole(rawValue: 2)
  static let passthrough = AnswerRole(rawValue: 4)
  static let response = AnswerRole(rawValue: 8)
  static let fieldsProvider = AnswerRole(rawValue: 16)
  static let rawBody = AnswerRole(rawValue: 32)
  static let mediaTyped = AnswerRole(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init<T>(ofType type: T.Type) {
    self = []
    if type is any SerializableBox.Type { insert(.box) }
    if type is any SerializationTransformer.Type { insert(.transformer) }
    if type == Passthrough.self { insert(.passthrough) }
    if type == Response.self { insert(.response) }
    if type is any ResponseFieldsProvider.Type { insert(.fieldsProvider) }
    if type == RawBody.self { insert(.rawBody) }
    if type is any MediaTyped.Type { insert(.mediaTyped) }
  }

  init(of value: any Serializable) { self = TypePlans.plan(ofType: type(of: value)).answerRole }
}
