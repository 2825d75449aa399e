import Foundation
import RecordingTestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

private let cassettes = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Cassettes")

/// The cassettes in the repository were recorded by tapedeck; whatever changes, the same exchanges must go on giving
/// the same files, for other people's recordings stand in git as well.
@Test(arguments: ["events", "httpbin", "nginx"])
func `recording a shipped cassette again gives the same files`(_ name: String) throws {
  let folder = try TemporaryDirectory()
  let shipped = try Cassette.load(cassettes.appending(path: name).path)
  #expect(shipped.count > 0)
  let recorder = try CassetteRecorder.open(
    folder("again"), origins: .one(shipped.upstream), replacing: false, isDurable: false)
  for answer in shipped.interactions { try recorder.record(answer.interaction) }
  _ = try recorder.seal()
  let names = try FileManager.default.subpathsOfDirectory(atPath: cassettes.appending(path: name).path)
  #expect(try FileManager.default.subpathsOfDirectory(atPath: folder("again")).sorted() == names.sorted())
  for file in names where file.contains(".") {
    let again = try Data(contentsOf: URL(filePath: folder("again")).appending(path: file))
    #expect(again == (try Data(contentsOf: cassettes.appending(path: "\(name)/\(file)"))), "\(file)")
  }
}
