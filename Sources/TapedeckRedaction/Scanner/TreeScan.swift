import TapedeckHTTP

/// Looks for secrets in JSON of any shape: by the names of members, by pairs such as `{"name": …, "value": …}` and
/// `["Name", "value"]`, in which tools write header fields, and by looks.
package struct TreeScan {
  private enum Step {
    case member([UInt8])
    case item(Int)
  }

  private(set) var found: [SecretScanner.Placed] = []
  private let scanner: SecretScanner
  private let root: String
  /// The way to the value that is looked at. Told only where something is found, since nearly nothing is.
  private var path: [Step] = []

  /// - Parameter place: what the tree is a part of.
  init(_ scanner: SecretScanner, _ tree: JSONValue, at place: String) {
    self.scanner = scanner
    root = place.isEmpty ? "$" : "\(place) $"
    look(at: tree, name: [], container: [])
  }

  private var place: String {
    path.reduce(into: root) { text, step in
      switch step {
      case .item(let index): text += "[\(index)]"
      case .member(let name):
        // A name may be a secret itself.
        text += scanner.scan(name[...]).isEmpty ? JSONPath.text(ofMember: name) : ".…"
      }
    }
  }

  /// - Parameters:
  ///   - name: of the member that a value is, or stands in an array of.
  ///   - container: the name of the array that an object stands in.
  private mutating func look(at value: JSONValue, name: [UInt8], container: [UInt8]) {
    switch value {
    case .null, .bool, .number: break
    case .string(let string): take { $0.scan(string.decodedBytes, named: name, at: "") }
    case .array(let items): look(atItems: items, name: name)
    case .object(let members):
      if name.isEmpty || !scanner.keepsName(name[...]) { look(atMembers: members, container: container) }
    }
  }

  /// Takes what a look has found, with the place that is looked at.
  private mutating func take(_ look: (SecretScanner) -> [SecretScanner.Placed]) {
    let new = look(scanner)
    if new.isEmpty { return }
    let place = place
    found += new.map { one in
      var one = one
      one.place = one.place.isEmpty ? place : "\(place)\(one.place)"
      return one
    }
  }

  private mutating func look(atItems items: [JSONValue], name: [UInt8]) {
    if items.count == 2, case .string(let key) = items[0], case .string(let value) = items[1] {
      let key = key.decodedBytes
      if scanner.isFieldName(key) {
        return take {
          $0.scan(field: key, value.decodedBytes, at: " \(String(decoding: key, as: UTF8.self))")
        }
      }
    }
    for (index, item) in items.enumerated() {
      path.append(.item(index))
      look(at: item, name: name, container: name)
      path.removeLast()
    }
  }

  private mutating func look(atMembers members: [JSONMember], container: [UInt8]) {
    let named = Self.pair(members)
    for member in members {
      let name = member.name.decodedBytes
      if name.count > 12 {
        let names = scanner.placed(scanner.scan(name[...]), in: name[...], at: " (a name)")
        if !names.isEmpty { take { _ in names } }
      }
      path.append(.member(name))
      if let named, case .string(let value) = member.value, Self.isValue(name) {
        take { $0.scan(pair: named, value.decodedBytes, container: container) }
      } else {
        look(at: member.value, name: name, container: [])
      }
      path.removeLast()
    }
  }

  private static func isValue(_ name: [UInt8]) -> Bool {
    name.count == 5 && name.map(ASCII.lowercased).elementsEqual("value".utf8)
  }

  /// The name in `{"name": …, "value": …}`.
  private static func pair(_ members: [JSONMember]) -> [UInt8]? {
    guard members.contains(where: { isValue($0.name.decodedBytes) }) else { return nil }
    for member in members {
      let name = member.name.decodedBytes.map(ASCII.lowercased)
      guard name.elementsEqual("name".utf8) || name.elementsEqual("key".utf8) else { continue }
      if case .string(let text) = member.value { return text.decodedBytes }
    }
    return nil
  }
}

extension SecretScanner {
  fileprivate func scan(pair name: [UInt8], _ value: [UInt8], container: [UInt8]) -> [Placed] {
    container.map(ASCII.lowercased).elementsEqual("cookies".utf8)
      ? scan(cookie: name, value[...], at: "") : scan(value, named: name, at: "")
  }
}
