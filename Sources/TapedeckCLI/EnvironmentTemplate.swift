/// A variable that tells a command where we are: `NAME`, or `NAME=TEXT` with `{url}`, `{host}` and `{port}` in it.
struct EnvironmentTemplate: Equatable {
  let name: String
  private let text: String

  init(_ argument: String) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    text = parts.count > 1 ? String(parts[1]) : "{url}"
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isName, let first = name.utf8.first, !(0x30...0x39).contains(first) else {
      throw UsageError("--env takes NAME or NAME=TEXT, not \(argument.debugDescription)")
    }
  }

  /// - Parameter baseURL: `http://HOST:PORT`.
  func value(baseURL: String) -> String {
    let authority = baseURL.split(separator: "/").last ?? ""
    let colon = authority.lastIndex(of: ":") ?? authority.endIndex
    let values = [
      ("{url}", baseURL), ("{host}", String(authority[..<colon])),
      ("{port}", String(authority[colon...].dropFirst())),
    ]
    var rest = text[...]
    var out = ""
    while let character = rest.first {
      if let (mark, value) = values.first(where: { rest.hasPrefix($0.0) }) {
        out += value
        rest = rest.dropFirst(mark.count)
      } else {
        out.append(character)
        rest = rest.dropFirst()
      }
    }
    return out
  }
}
