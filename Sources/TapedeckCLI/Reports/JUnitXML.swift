/// Results in the XML that CI servers read as those of tests: one suite of cases.
struct JUnitXML {
  enum Outcome: Equatable {
    case passed
    /// - Parameters: a sentence, and all there is to say.
    case failed(message: String, detail: String)
    /// Could not be tried.
    case error(message: String, detail: String)
    case skipped(message: String)
  }

  struct Case {
    /// What the case belongs to, where servers group by it.
    var group: String
    var name: String
    /// How long it took; nil where nobody measured.
    var seconds: Double?
    var outcome = Outcome.passed
  }

  var suite: String
  var cases: [Case]

  var text: String {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let errors = cases.count { if case .error = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    let counts =
      #"tests="\#(cases.count)" failures="\#(failures)" errors="\#(errors)" skipped="\#(skipped)""#
    let times = cases.compactMap(\.seconds)
    let time = Self.time(times.isEmpty ? nil : times.reduce(0, +))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)\(time)>
        <testsuite name="\(Self.escaped(suite))" \(counts)\(time)>
      \(cases.map(Self.text).joined())  </testsuite>
      </testsuites>

      """
  }

  private static func text(_ item: Case) -> String {
    let head =
      #"    <testcase classname="\#(escaped(item.group))" name="\#(escaped(item.name))""#
      + time(item.seconds)
    let inner: String
    switch item.outcome {
    case .passed: return head + "/>\n"
    case .failed(let message, let detail): inner = element("failure", message, detail)
    case .error(let message, let detail): inner = element("error", message, detail)
    case .skipped(let message): inner = #"<skipped message="\#(escaped(message))"/>"#
    }
    return head + ">\n      \(inner)\n    </testcase>\n"
  }

  private static func element(_ name: String, _ message: String, _ detail: String) -> String {
    #"<\#(name) message="\#(escaped(message))">\#(escaped(detail))</\#(name)>"#
  }

  /// The attribute, with three decimals.
  private static func time(_ value: Double?) -> String {
    guard let value else { return "" }
    let thousandths = Int((value * 1000).rounded())
    return #" time="\#(thousandths / 1000).\#(String(thousandths % 1000 + 1000).dropFirst())""#
  }

  /// XML 1.0 §2.2, §2.4: markup as entities, line ends as references, and U+FFFD for characters that no document may
  /// hold.
  static func escaped(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: out.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: out.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: out.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: out.append(contentsOf: "&quot;".unicodeScalars)
      case 0x09, 0x0A, 0x0D: out.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
      case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: out.append("\u{FFFD}")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
