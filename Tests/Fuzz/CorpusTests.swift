import Foundation
import TestSupport
import Testing

/// Every input that stands in `Corpus` is a case: seeds, and what the fuzzer once found. Each is also changed a
/// little, some hundred times, so that the law is held even where no fuzzer runs.
@Suite struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  private static func seeds(of target: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: target)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func `the law holds for every seed`(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try Self.seeds(of: name)
    #expect(seeds.count > 2, "a corpus without seeds proves nothing")
    for seed in seeds {
      #expect(throws: Never.self, "\(name)/\(seed.name)") { try target.check(seed.bytes) }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func `the law holds for changed seeds`(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    var random = SeededGenerator(7)
    for seed in try Self.seeds(of: name) where seed.bytes.count < 4096 {
      for _ in 0..<40 {
        var bytes = seed.bytes
        for _ in 0...random.below(3) { random.mutate(&bytes) }
        #expect(throws: Never.self, "\(Data(bytes).base64EncodedString())") { try target.check(bytes) }
      }
    }
  }

  @Test func `the corpus is small, and every folder of it is a target's`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { !$0.hasSuffix(".dict") }
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    let bytes = try folders.flatMap { try Self.seeds(of: $0) }.reduce(0) { $0 + $1.bytes.count }
    #expect(bytes <= 200 * 1024)
  }
}
