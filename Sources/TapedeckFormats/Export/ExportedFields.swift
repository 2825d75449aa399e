import TapedeckHTTP

/// Header fields by name, as the formats have them that know no order between names: a name in the spelling of its first
/// field, with its values in order.
struct ExportedFields {
  let groups: [(name: String, values: [String])]

  init(
    _ fields: HTTPFields, of file: String, _ losses: inout ExportLosses,
    where isKept: (HTTPField) -> Bool = { _ in true }
  ) {
    var groups: [(name: String, values: [String])] = []
    var places: [[UInt8]: Int] = [:]
    for field in fields where isKept(field) {
      if !UTF8Scan.isValid(field.value) {
        losses.note("a header that is no UTF-8 is written as if it were", of: file)
      }
      let value = String(decoding: field.value, as: UTF8.self)
      let key = field.name.map(ASCII.lowercased)
      if let place = places[key] {
        groups[place].values.append(value)
      } else {
        places[key] = groups.count
        groups.append((String(decoding: field.name, as: UTF8.self), [value]))
      }
    }
    self.groups = groups
  }

  /// `Name: [value]`.
  var yaml: YAMLValue {
    .map(
      groups.map { group in
        YAMLMember(name: Array(group.name.utf8), value: .list(group.values.map { YAMLValue($0) }))
      })
  }

  /// `"Name": ["value"]`.
  var json: JSONValue {
    .object(
      groups.map { JSONMember(JSONString($0.name), .array($0.values.map { JSONValue($0) })) })
  }

  /// `"Name": "value"`, and a list where there are several.
  var shortJSON: JSONValue {
    .object(
      groups.map { group in
        let values = group.values.map { JSONValue($0) }
        return JSONMember(JSONString(group.name), values.count == 1 ? values[0] : .array(values))
      })
  }
}
