import TapedeckRecording

/// Times as Go writes them: `1.5s`, `120ms`, `2m3.5s`.
enum GoDuration {
  private static let units: [(name: String, milliseconds: Double)] = [
    ("ns", 1e-6), ("us", 1e-3), ("µs", 1e-3), ("μs", 1e-3), ("ms", 1), ("s", 1000), ("m", 60_000),
    ("h", 3_600_000),
  ]

  static func milliseconds(_ text: String) -> Double? {
    var rest = text[...]
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      let unit = rest.dropFirst(digits.count).prefix { !($0.isASCII && $0.isNumber) && $0 != "." }
      guard let value = Double(digits), let factor = units.first(where: { $0.name == unit })?.milliseconds
      else {
        return nil
      }
      total += value * factor
      rest = rest.dropFirst(digits.count + unit.count)
    }
    return VolatileFacts.milliseconds.contains(total) && !text.isEmpty ? total : nil
  }
}
