import TapedeckHTTP

/// Where in a cassette a value stands, so that whatever is wrong with it can be named.
package struct EntryPlace {
  private indirect enum Path {
    case whole
    case member(Path, StaticString)
    case element(Path, Int)
  }

  /// The file's path, for messages.
  let file: String
  private let path: Path

  package init(file: String) { self.init(file: file, path: .whole) }

  private init(file: String, path: Path) {
    self.file = file
    self.path = path
  }

  func member(_ name: StaticString) -> EntryPlace { EntryPlace(file: file, path: .member(path, name)) }

  func element(_ index: Int) -> EntryPlace { EntryPlace(file: file, path: .element(path, index)) }

  func problem(_ problem: String) -> CassetteError {
    .invalidEntry(file: file, member: Self.text(path), problem: problem)
  }

  /// As in `response.headers[3]`; empty for the whole.
  private static func text(_ path: Path) -> String {
    switch path {
    case .whole: return ""
    case .member(.whole, let name): return "\(name)"
    case .member(let outer, let name): return "\(text(outer)).\(name)"
    case .element(let outer, let index): return "\(text(outer))[\(index)]"
    }
  }
}
