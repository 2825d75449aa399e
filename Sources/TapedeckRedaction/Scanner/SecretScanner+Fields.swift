package import TapedeckHTTP

/// Header fields, cookies and pairs: credentials behind their scheme, cookies by their values.
extension SecretScanner {
  /// A secret, the place it stands at, and the name it stands under.
  package struct Placed {
    /// Empty where a file is read as text.
    var place: String
    var looksLike: String
    var name: [UInt8] = []
    package var secret: [UInt8]
    /// The base64 that it stands in.
    var run: [UInt8]?
  }

  package func placed(_ found: [Raw], in text: ArraySlice<UInt8>, at place: String) -> [Placed] {
    found.map { raw in
      let whole = Array(text[raw.range])
      return Placed(
        place: place, looksLike: raw.looksLike, name: Array(raw.name), secret: raw.encoded ?? whole,
        run: raw.encoded == nil ? nil : whole)
    }
  }

  package func scan(_ fields: HTTPFields, at place: String) -> [Placed] {
    fields.flatMap { field in
      scan(
        field: Array(field.name), Array(field.value),
        at: "\(place) \(String(decoding: field.name, as: UTF8.self))")
    }
  }

  /// Whether a name is one of a field that holds secrets.
  func isFieldName(_ name: [UInt8]) -> Bool {
    if case .other = FieldKind(name[...]) { return naming(name[...]) != .none }
    return true
  }

  package func scan(field name: [UInt8], _ value: [UInt8], at place: String) -> [Placed] {
    if keepsName(name[...]) { return [] }
    switch FieldKind(name[...]) {
    case .authorization:
      let credentials = value.lastIndex(of: 0x20).map { value[($0 + 1)...] } ?? value[...]
      guard credentials.count > 3, !Self.isHidden(value[...]) else { return [] }
      return [Placed(place: place, looksLike: "credentials", name: name, secret: Array(credentials))]
    case .cookie:
      return value.split(separator: UInt8(ascii: ";")).flatMap { scan(cookiePair: $0, at: place) }
    case .setCookie:
      return scan(cookiePair: value.prefix { $0 != UInt8(ascii: ";") }, at: place)
    case .challenge, .other:
      if isSecret(value[...], naming(name[...])) {
        return [Placed(place: place, looksLike: Self.named, name: name, secret: value)]
      }
      return placed(scan(value[...]), in: value[...], at: place)
    }
  }

  private func scan(cookiePair pair: ArraySlice<UInt8>, at place: String) -> [Placed] {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return [] }
    let name = pair[..<equals].filter { !ASCII.isBlank($0) }
    return scan(cookie: name, pair[(equals + 1)...], at: place)
  }

  package func scan(cookie name: [UInt8], _ value: ArraySlice<UInt8>, at place: String) -> [Placed] {
    guard !keepsName(name[...]), isSecret(value, .likely) || isSecret(value, naming(name[...])) else {
      return []
    }
    return [Placed(place: place, looksLike: "the value of a cookie", name: name, secret: Array(value))]
  }

  /// `name=value&name=value`, decoded: a query, a form.
  package func scan(pairs text: ArraySlice<UInt8>, at place: String) -> [Placed] {
    text.split(separator: UInt8(ascii: "&")).flatMap { pair -> [Placed] in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map { Array(DecodedText($0, .path).bytes) }
      guard parts.count == 2 else { return parts.flatMap { placed(scan($0[...]), in: $0[...], at: place) } }
      // A name may be a secret itself.
      let names = placed(scan(parts[0][...]), in: parts[0][...], at: place)
      let below = names.isEmpty ? "\(place) \(String(decoding: parts[0], as: UTF8.self))" : place
      return names + scan(parts[1], named: parts[0], at: below)
    }
  }

  /// A text under a name.
  package func scan(_ text: [UInt8], named name: [UInt8], at place: String) -> [Placed] {
    if !name.isEmpty {
      if keepsName(name[...]) { return [] }
      if isSecret(text[...], naming(name[...])) {
        return [Placed(place: place, looksLike: Self.named, name: name, secret: text)]
      }
      if case .other = FieldKind(name[...]) {} else { return scan(field: name, text, at: place) }
    }
    if let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["), text.count > 8,
      let inner = try? JSONValue(parsing: text)
    {
      return TreeScan(self, inner, at: place).found
    }
    return placed(scan(text[...]), in: text[...], at: place).map { found in
      var found = found
      if found.name.isEmpty { found.name = name }
      return found
    }
  }
}
