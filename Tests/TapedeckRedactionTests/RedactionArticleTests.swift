import Foundation
import TapedeckHTTP
import Testing

@testable import TapedeckRedaction

/// The article on secrets lists what the tables hold. Where it does not, the message holds the block to put there.
@Suite struct RedactionArticleTests {
  private static let width = 116

  private static func article() throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: repository.appending(path: "Sources/Tapedeck/Tapedeck.docc/Redaction.md"), encoding: .utf8)
  }

  private static func block(_ items: some Sequence<String>) -> String {
    var lines: [String] = []
    let sorted = Set(items).sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
    for item in sorted {
      if let last = lines.last, last.unicodeScalars.count + item.unicodeScalars.count + 2 <= width {
        lines[lines.count - 1] += ", \(item)"
      } else {
        if !lines.isEmpty { lines[lines.count - 1] += "," }
        lines.append(item)
      }
    }
    return "```text\n\(lines.joined(separator: "\n"))\n```\n"
  }

  private static let blocks = [
    block(SecretNames.strong.union(SecretNames.strongPairs)),
    block(SecretNames.codes.union(SecretNames.codePairs)),
    block(SecretNames.oneWordKeys.union(SecretNames.keyPairs)),
    block(SecretNames.likely.union(SecretNames.likelyPairs).union(SecretNames.randomPairs)),
    block(SecretNames.pairWords.keys),
    block(TokenShapes.rows.compactMap { $0["kind"]?.text } + ["jwt", "pem"]),
  ]

  @Test(arguments: blocks) func holdsTheTable(_ block: String) throws {
    #expect(try Self.article().contains(block), "The article needs this block:\n\(block)")
  }

  @Test func holdsNoOtherTable() throws {
    #expect(try Self.article().components(separatedBy: "```text\n").count - 1 == Self.blocks.count)
  }
}
