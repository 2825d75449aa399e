/// Collections in brackets and braces, with everything in them (YAML 1.2 §7.4).
extension YAMLReader {
  mutating func flowList(depth: Int) throws(YAMLError) -> YAMLValue {
    index += 1
    var items: [YAMLValue] = []
    while try !closes(with: UInt8(ascii: "]"), isFirst: items.isEmpty) {
      items.append(try flowNode(depth: depth + 1))
    }
    return .list(items)
  }

  mutating func flowMap(depth: Int) throws(YAMLError) -> YAMLValue {
    index += 1
    var members: [YAMLMember] = []
    var names: Set<[UInt8]> = []
    while try !closes(with: UInt8(ascii: "}"), isFirst: members.isEmpty) {
      let name = try flowKey()
      guard names.insert(name).inserted else { throw failure("the member before this stands here twice") }
      try skipToToken()
      guard next == UInt8(ascii: ":") else { throw failure("a colon is expected here") }
      index += 1
      members.append(YAMLMember(name: name, value: try flowNode(depth: depth + 1)))
    }
    return .map(members)
  }

  /// Steps over the closing bracket, or over the comma before the next item.
  private mutating func closes(with bracket: UInt8, isFirst: Bool) throws(YAMLError) -> Bool {
    try skipToToken()
    if !isFirst, next == UInt8(ascii: ",") {
      index += 1
      try skipToToken()
    } else if !isFirst, next != bracket {
      throw failure(next == nil ? "a bracket is not closed" : "a comma or a closing bracket is expected here")
    }
    guard next == bracket else {
      if next == nil { throw failure("a bracket is not closed") }
      return false
    }
    index += 1
    return true
  }

  private mutating func flowKey() throws(YAMLError) -> [UInt8] {
    let name: [UInt8]
    switch next {
    case UInt8(ascii: "\""): name = try doubleQuoted()
    case UInt8(ascii: "'"): name = try singleQuoted()
    default: name = try plainScalar(parent: -1, inFlow: true)
    }
    try checkKey(name)
    return name
  }

  private mutating func flowNode(depth: Int) throws(YAMLError) -> YAMLValue {
    guard depth <= Self.maximumDepth else {
      throw failure("more than \(Self.maximumDepth) levels of nesting")
    }
    try skipToToken()
    return try propertied { reader, properties throws(YAMLError) in
      try reader.skipToToken()
      return try reader.flowContent(depth: depth, properties)
    }
  }

  private mutating func flowContent(depth: Int, _ properties: YAMLProperties) throws(YAMLError) -> YAMLValue {
    switch next {
    case UInt8(ascii: "*"): try alias(properties)
    case UInt8(ascii: "["): try flowList(depth: depth)
    case UInt8(ascii: "{"): try flowMap(depth: depth)
    case UInt8(ascii: "\""): .text(try doubleQuoted())
    case UInt8(ascii: "'"): .text(try singleQuoted())
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): .null
    default: plain(try plainScalar(parent: -1, inFlow: true))
    }
  }
}
