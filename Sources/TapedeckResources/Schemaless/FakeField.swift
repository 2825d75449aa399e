package import TapedeckHTTP
internal import TapedeckMocking

/// How a member of a made-up object gets its value.
package indirect enum FakeField: Sendable, Equatable {
  case kind(Kind)
  case int(ClosedRange<Int>)
  case double(ClosedRange<Double>)
  case sentences(Int)
  case oneOf([JSONValue])
  case value(JSONValue)
  case object([Member])

  package struct Member: Sendable, Equatable {
    package var name: String
    package var field: FakeField

    package init(name: String, field: FakeField) {
      self.name = name
      self.field = field
    }
  }

  /// In the words of `Fake`.
  package enum Kind: String, CaseIterable, Sendable {
    case firstName, lastName, name, username, email, city, street, company, url
    case word, title, sentence, paragraph, uuid, date, bool, int, number
  }

  func value(_ fake: inout Fake, number: Int) -> JSONValue {
    switch self {
    case .kind(let kind): return kind.value(&fake, number: number)
    case .int(let range): return JSONValue(fake.int(range))
    case .double(let range): return JSONValue((fake.double(range) * 100).rounded() / 100)
    case .sentences(let count): return JSONValue(fake.sentences(count))
    case .oneOf(let values): return fake.element(of: values)
    case .value(let value): return value
    case .object(let members):
      return .object(
        members.map { JSONMember(JSONString($0.name), $0.field.value(&fake, number: number)) })
    }
  }
}

extension FakeField.Kind {
  fileprivate func value(_ fake: inout Fake, number: Int) -> JSONValue {
    switch self {
    case .firstName: JSONValue(fake.firstName())
    case .lastName: JSONValue(fake.lastName())
    case .name: JSONValue(fake.name())
    case .username: JSONValue(fake.username())
    case .email: JSONValue(fake.email())
    case .city: JSONValue(fake.city())
    case .street: JSONValue(fake.street())
    case .company: JSONValue(fake.company())
    case .url: JSONValue(fake.url())
    case .word: JSONValue(fake.word())
    case .title: JSONValue(fake.title())
    case .sentence: JSONValue(fake.sentence())
    case .paragraph: JSONValue(fake.paragraph())
    case .uuid: JSONValue(fake.uuid())
    case .date: JSONValue(fake.date(within: 365))
    case .bool: .bool(fake.bool())
    case .int: JSONValue(fake.int(0...1000))
    case .number: JSONValue(number)
    }
  }
}
