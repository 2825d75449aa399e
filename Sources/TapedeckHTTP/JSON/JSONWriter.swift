extension JSONValue {
  /// The value written in a style.
  public func bytes(_ style: JSONStyle = .compact) -> [UInt8] {
    var out: [UInt8] = []
    write(style.layout, to: &out)
    if style.endsWithNewline { out.append(ASCII.lineFeed) }
    return out
  }

  /// Writes the value as part of a larger document.
  /// - Parameter level: how deep it already stands there.
  package func write(_ layout: JSONStyle.Layout, level: Int = 0, to out: inout [UInt8]) {
    JSONWriter(layout: layout).write(self, level: level, to: &out)
  }
}

/// Writes values in one layout.
struct JSONWriter {
  let layout: JSONStyle.Layout

  func write(_ value: JSONValue, level: Int, to out: inout [UInt8]) {
    switch value {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let number): out += number.raw
    case .string(let string): write(string, to: &out)
    case .array(let items):
      out.append(UInt8(ascii: "["))
      for index in items.indices {
        separate(isFirst: index == 0, level: level + 1, in: &out)
        write(items[index], level: level + 1, to: &out)
      }
      close(UInt8(ascii: "]"), isEmpty: items.isEmpty, level: level, in: &out)
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for index in members.indices {
        separate(isFirst: index == 0, level: level + 1, in: &out)
        write(members[index].name, to: &out)
        out.append(ASCII.colon)
        if layout != .compact { out.append(ASCII.space) }
        write(members[index].value, level: level + 1, to: &out)
      }
      close(UInt8(ascii: "}"), isEmpty: members.isEmpty, level: level, in: &out)
    }
  }

  private func write(_ string: JSONString, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    out += string.raw
    out.append(UInt8(ascii: "\""))
  }

  private func separate(isFirst: Bool, level: Int, in out: inout [UInt8]) {
    if !isFirst { out.append(ASCII.comma) }
    switch layout {
    case .compact: break
    case .spaced: if !isFirst { out.append(ASCII.space) }
    case .indented, .tabs: breakLine(level, in: &out)
    }
  }

  private func close(_ bracket: UInt8, isEmpty: Bool, level: Int, in out: inout [UInt8]) {
    if !isEmpty, layout != .compact, layout != .spaced { breakLine(level, in: &out) }
    out.append(bracket)
  }

  private func breakLine(_ level: Int, in out: inout [UInt8]) {
    out.append(ASCII.lineFeed)
    if case .indented(let spaces) = layout {
      out.append(contentsOf: repeatElement(ASCII.space, count: spaces * level))
    } else {
      out.append(contentsOf: repeatElement(ASCII.tab, count: level))
    }
  }
}
