internal import TapedeckHTTP
internal import TapedeckMocking

/// An object that has no Swift type: a JSON object, known by an id that is one of its members.
struct Document: Storable {
  let id: String
  var members: [JSONMember]

  init(id: String, members: [JSONMember]) {
    self.id = id
    self.members = members
  }

  init(id: String, store: Store) { self.init(id: id, members: []) }

  subscript(name: String) -> JSONValue? {
    get { members.last { $0.name.isEqual(to: name.utf8) }?.value }
    set { members.set(name, newValue) }
  }
}

extension [JSONMember] {
  /// Puts a value in the place of the member with its name, or at the end; nil takes it out.
  mutating func set(_ name: String, _ value: JSONValue?) {
    let index = firstIndex { $0.name.isEqual(to: name.utf8) }
    switch (index, value) {
    case (let index?, let value?): self[index].value = value
    case (let index?, nil): remove(at: index)
    case (nil, let value?): append(JSONMember(JSONString(name), value))
    case (nil, nil): break
    }
  }

  /// These with others laid over them.
  func overlaid(_ others: [JSONMember]) -> [JSONMember] {
    var result = self
    for member in others { result.set(member.name.text, member.value) }
    return result
  }

  /// Each name once: of several the last counts, in the place of the first.
  var unique: [JSONMember] { [].overlaid(self) }
}
