import Foundation
import Testing

// Every block of Swift in the README and the articles compiles against the modules that were built with this test, and
// an error names the line of the article. What a reader has in mind is what the compiler gets:
//
// - The blocks of a page go into one function, `async throws`, each in a scope inside of the one before: a block sees what
//   earlier blocks of its page declare, and may declare a name again.
// - A block that has `@Test`, `@Suite`, `extension` or a class at the beginning of a line stands in a file of its own.
// - An `import` is left out: every file imports what stands below.
// - What else a block needs, stands before it in an HTML comment that begins with `swift`, which pages do not show.
// - `…` means that something is left out, and is left out.
// - Results that are not used are no mistake here: a block shows values that way.
//
// There is no way to leave a block out.

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A block of Swift in a page, and what its comment adds.
private struct Block {
  let page: String
  let line: Int
  let code: String
  let context: String

  /// Whether the code may not stand in a function.
  var isFile: Bool {
    code.split(separator: "\n").contains { line in
      ["@Test ", "@Test(", "@Suite(", "extension ", "class ", "final class "].contains { line.hasPrefix($0) }
    }
  }
}

/// The blocks of a page, in order.
private func blocks(of page: String, _ text: String) -> [Block] {
  var blocks: [Block] = []
  var context = ""
  let fences = /(?s)<!-- swift\n(?<context>.*?)-->\n|(?<start>```swift\n)(?<code>.*?)```/
  for match in text.matches(of: fences) {
    if let comment = match.context {
      context += String(comment)
    } else if let start = match.start, let code = match.code {
      let line = text[..<start.endIndex].count { $0 == "\n" } + 1
      let code = code.replacing("…", with: "").replacing(/(?m)^import .*/, with: "")
      blocks.append(Block(page: page, line: line, code: String(code), context: context))
      context = ""
    }
  }
  return blocks
}

private let imports = """
  import Foundation
  import FoundationNetworking
  import Tapedeck
  import TapedeckTesting
  import Testing
  import XCTest

  """

private func placed(_ block: Block) -> String {
  """
  \(block.context)
  #sourceLocation(file: "\(block.page)", line: \(block.line))
  \(block.code)
  #sourceLocation()

  """
}

/// The source files of a page.
private func sources(of page: String, _ blocks: [Block]) -> [String] {
  let inside = blocks.filter { !$0.isFile }
  let scopes = inside.map { "do {\n\(placed($0))" }.joined() + String(repeating: "}", count: inside.count)
  let name = page.filter(\.isLetter)
  return blocks.filter(\.isFile).map { imports + placed($0) }
    + ["\(imports)func page\(name)() async throws {\n\(scopes)\n}\n"]
}

/// What the compiler says about these pages; empty where all is well.
private func problems(in pages: [(page: String, text: String)]) async throws -> String {
  let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  var files: [String] = []
  for source in pages.flatMap({ sources(of: $0.page, blocks(of: $0.page, $0.text)) }) {
    let file = folder.appending(path: "\(files.count).swift")
    try source.write(to: file, atomically: false, encoding: .utf8)
    files.append(file.path)
  }
  let built = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  var arguments = ["swiftc", "-typecheck", "-wmo", "-suppress-warnings", "-swift-version", "6"]
  arguments += ["-module-name", "Articles", "-I", built.appending(path: "Modules").path]
  for module in try moduleMaps(built) { arguments += ["-Xcc", "-fmodule-map-file=\(module)"] }
  return try await said(by: arguments + files)
}

/// The maps of the C modules that ours are built on.
private func moduleMaps(_ built: URL) throws -> [String] {
  try [built, repository.appending(path: "Sources")]
    .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
    .map { $0.appending(path: "module.modulemap").path }
    .filter { FileManager.default.fileExists(atPath: $0) }
}

private func said(by command: [String]) async throws -> String {
  let compiler = Process()
  compiler.executableURL = URL(filePath: "/usr/bin/env")
  compiler.arguments = command
  let output = Pipe()
  compiler.standardOutput = output
  compiler.standardError = output
  try compiler.run()
  let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  compiler.waitUntilExit()
  return compiler.terminationStatus == 0 ? "" : text + "swiftc ended with \(compiler.terminationStatus)"
}

@Test func `every block of Swift in the README and the articles compiles`() async throws {
  let files = FileManager.default.enumerator(
    at: repository.appending(path: "Sources"), includingPropertiesForKeys: nil)
  let articles = (files?.compactMap { $0 as? URL } ?? []).filter {
    $0.pathExtension == "md" && $0.deletingLastPathComponent().pathExtension == "docc"
  }
  let pages = try ([repository.appending(path: "README.md")] + articles).sorted { $0.path < $1.path }.map {
    (page: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
  }
  let fences = pages.map { $0.text.count(of: "```swift\n") }.reduce(0, +)
  #expect(fences > 30 && fences == pages.map { blocks(of: $0.page, $0.text).count }.reduce(0, +))
  let said = try await problems(in: pages)
  #expect(said.isEmpty, "\(said)")
}

@Test func `a block that does not compile is told of by its line`() async throws {
  let page = """
    A page.

    <!-- swift
    let store = Store()
    -->
    ```swift
    let router = Router()
    router.get("/a") { _ in store.findNothing() }
    ```

    ```swift
    router.gett("/b") { _ in nil }
    ```
    """
  let said = try await problems(in: [("Broken.md", page)])
  #expect(said.contains("Broken.md:8:") && said.contains("findNothing"), "\(said)")
  #expect(said.contains("Broken.md:12:") && said.contains("gett"), "\(said)")
}

extension String {
  fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
