extension JSONValue {
  /// Writes the value in a style.
  public func bytes(_ style: JSONStyle = .compact) -> [UInt8] {
    var out: [UInt8] = []
    write(style.layout, to: &out)
    if style.endsWithNewline { out.append(ASCII.lineFeed) }
    return out
  }

  package func write(_ layout: JSONStyle.Layout, level: Int = 0, to out: inout [UInt8]) {
    switch self {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let number): out += number.raw
    case .string(let string): string.write(to: &out)
    case .array(let items):
      out.append(UInt8(ascii: "["))
      for index in items.indices {
        layout.separate(isFirst: index == 0, level: level + 1, in: &out)
        items[index].write(layout, level: level + 1, to: &out)
      }
      layout.close(UInt8(ascii: "]"), isEmpty: items.isEmpty, level: level, in: &out)
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for index in members.indices {
        layout.separate(isFirst: index == 0, level: level + 1, in: &out)
        members[index].name.write(to: &out)
        out.append(ASCII.colon)
        if layout != .compact { out.append(ASCII.space) }
        members[index].value.write(layout, level: level + 1, to: &out)
      }
      layout.close(UInt8(ascii: "}"), isEmpty: members.isEmpty, level: level, in: &out)
    }
  }
}

extension JSONString {
  fileprivate func write(to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    out += raw
    out.append(UInt8(ascii: "\""))
  }
}

extension JSONStyle.Layout {
  fileprivate func separate(isFirst: Bool, level: Int, in out: inout [UInt8]) {
    if !isFirst { out.append(ASCII.comma) }
    switch self {
    case .compact: break
    case .spaced: if !isFirst { out.append(ASCII.space) }
    case .indented, .tabs: breakLine(level, in: &out)
    }
  }

  fileprivate func close(_ bracket: UInt8, isEmpty: Bool, level: Int, in out: inout [UInt8]) {
    if !isEmpty, self != .compact, self != .spaced { breakLine(level, in: &out) }
    out.append(bracket)
  }

  private func breakLine(_ level: Int, in out: inout [UInt8]) {
    out.append(ASCII.lineFeed)
    if case .indented(let spaces) = self {
      out.append(contentsOf: repeatElement(ASCII.space, count: spaces * level))
    } else {
      out.append(contentsOf: repeatElement(ASCII.tab, count: level))
    }
  }
}
