import TapedeckHTTP

/// Scanning what is not flat text: JSON of any shape, cookies, header fields.
extension SecretScanner {
  /// A secret in a tree, with the place it stands at.
  struct Placed {
    var place: String
    var looksLike: String
    var secret: [UInt8]
  }

  /// - Parameter container: the name of the array that a tree stands in.
  func scan(_ value: JSONValue, at place: String, name: [UInt8] = [], container: [UInt8] = []) -> [Placed] {
    switch value {
    case .null, .bool, .number: []
    case .string(let string): scan(string.decodedBytes, named: name, at: place)
    case .array(let items): scan(items, at: place, name: name)
    case .object(let members): scan(members, at: place, container: container)
    }
  }

  private func scan(_ items: [JSONValue], at place: String, name: [UInt8]) -> [Placed] {
    // A pair of two texts is a header field of a cassette, or of a tool that writes them so.
    if items.count == 2, case .string(let key) = items[0], case .string(let value) = items[1],
      isFieldName(key.decodedBytes)
    {
      return scan(field: key.decodedBytes, value.decodedBytes, at: place)
    }
    return items.enumerated().flatMap { index, item in
      scan(item, at: "\(place)[\(index)]", name: name, container: name)
    }
  }

  private func scan(_ members: [JSONMember], at place: String, container: [UInt8]) -> [Placed] {
    var found: [Placed] = []
    let named = Self.pair(members)
    for member in members {
      let name = member.name.decodedBytes
      let below = "\(place)\(JSONPath.text(ofMember: name))"
      found += scan(name, named: [], at: "the name at \(place)")
      if let named, case .string(let value) = member.value, name.map(Bytes.lowercased) == Self.value {
        found += scan(pair: named, value.decodedBytes, at: below, container: container)
      } else {
        found += scan(member.value, at: below, name: name)
      }
    }
    return found
  }

  private static let value = Array("value".utf8)
  private static let names = ["name", "key"].map { Array($0.utf8) }

  /// The name in `{"name": …, "value": …}`.
  private static func pair(_ members: [JSONMember]) -> [UInt8]? {
    for member in members where names.contains(member.name.decodedBytes.map(Bytes.lowercased)) {
      if case .string(let name) = member.value { return name.decodedBytes }
    }
    return nil
  }

  private func scan(pair name: [UInt8], _ value: [UInt8], at place: String, container: [UInt8]) -> [Placed] {
    if container.map(Bytes.lowercased) == Array("cookies".utf8) {
      return scan(cookie: name, value[...], at: place)
    }
    return scan(field: name, value, at: place)
  }

  // MARK: Values

  /// A text under a name.
  private func scan(_ text: [UInt8], named name: [UInt8], at place: String) -> [Placed] {
    let naming = naming(name[...])
    if isSecret(text[...], naming) { return [Placed(place: place, looksLike: Self.named, secret: text)] }
    if let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["), text.count > 8,
      let inner = try? JSONValue(parsing: text)
    {
      return scan(inner, at: place)
    }
    if Self.fieldNames.contains(name.map(Bytes.lowercased)) { return scan(field: name, text, at: place) }
    return placed(scan(text[...]), in: text[...], at: place)
  }

  func placed(_ found: [Raw], in text: ArraySlice<UInt8>, at place: String) -> [Placed] {
    found.map { Placed(place: place, looksLike: $0.looksLike, secret: Array(text[$0.range])) }
  }

  // MARK: Header fields

  private static let fieldNames = ["authorization", "proxy-authorization", "cookie", "set-cookie"].map {
    Array($0.utf8)
  }

  private func isFieldName(_ name: [UInt8]) -> Bool {
    naming(name[...]) != .none || Self.fieldNames.contains(name.map(Bytes.lowercased))
  }

  func scan(field name: [UInt8], _ value: [UInt8], at place: String) -> [Placed] {
    if keepsName(name) { return [] }
    let text = String(decoding: name, as: UTF8.self)
    let here = place.hasSuffix(".value") ? place : "\(place) \(text)"
    switch text.lowercased() {
    case "authorization", "proxy-authorization":
      let credentials = value.lastIndex(of: 0x20).map { value[($0 + 1)...] } ?? value[...]
      guard credentials.count > 3, !Self.isHidden(value[...]) else { return [] }
      return [Placed(place: here, looksLike: "credentials", secret: Array(credentials))]
    case "cookie":
      return value.split(separator: UInt8(ascii: ";")).flatMap { scan(cookiePair: $0, at: here) }
    case "set-cookie":
      return scan(cookiePair: value.prefix { $0 != UInt8(ascii: ";") }, at: here)
    default:
      if isSecret(value[...], naming(name[...])) {
        return [Placed(place: here, looksLike: Self.named, secret: value)]
      }
      return placed(scan(value[...]), in: value[...], at: here)
    }
  }

  private func scan(cookiePair pair: ArraySlice<UInt8>, at place: String) -> [Placed] {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return [] }
    let name = pair[..<equals].filter { !Bytes.isBlank($0) }
    return scan(cookie: name, pair[(equals + 1)...], at: place)
  }

  private func scan(cookie name: [UInt8], _ value: ArraySlice<UInt8>, at place: String) -> [Placed] {
    guard !keepsName(name), isSecret(value, .likely) || isSecret(value, naming(name[...])) else {
      return []
    }
    return [Placed(place: place, looksLike: "the value of a cookie", secret: Array(value))]
  }
}
