import Foundation
import Glibc
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Whatever a name is made to be, nothing outside the cassette is opened.
@Suite struct BeneathTests {
  /// With `openat2`, and as on kernels that have none.
  enum Way: CaseIterable { case byKernel, partByPart }

  private func opens(_ name: String, in directory: CassetteDirectory, _ way: Way) -> Bool {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC
    let file =
      way == .byKernel ? directory.open(beneath: name, flags) : directory.openPartByPart(name, flags)
    if file >= 0 { close(file) }
    return file >= 0
  }

  private func prepare(_ folder: TemporaryDirectory) throws -> CassetteDirectory {
    try folder.write("secret", "outside")
    try folder.write("c-evil/one", "a sibling whose name begins alike")
    try folder.write("c/one", "plain")
    try folder.write("c/bodies/one", "plain")
    try folder.write("elsewhere/one", "outside")
    for (name, target) in [
      ("link", "../secret"), ("inside", "one"), ("folder", "../elsewhere"), ("root", "/"),
      ("self", "/proc/self/fd/0"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: folder("c/\(name)"), withDestinationPath: target)
    }
    return try CassetteDirectory(opening: folder("c"))
  }

  @Test("C05 C06 C07 no link leads out of a cassette, nor to another of its files", arguments: Way.allCases)
  func links(way: Way) throws {
    let folder = try TemporaryDirectory()
    let directory = try prepare(folder)
    for name in ["one", "bodies/one"] { #expect(opens(name, in: directory, way), "\(name)") }
    for name in ["link", "inside", "folder", "folder/one", "root", "self"] {
      #expect(!opens(name, in: directory, way), "\(name)")
    }
  }

  @Test("C06 C07 no name leads out of a cassette")
  func names() throws {
    let folder = try TemporaryDirectory()
    let directory = try prepare(folder)
    for name in [
      "..", "../secret", "../c-evil/one", "bodies/../../secret", folder("secret"), "/etc/passwd",
      "/proc/self/environ",
      "root/etc/passwd",
    ] {
      #expect(!opens(name, in: directory, .byKernel), "\(name)")
      #expect(throws: CassetteError.self, "\(name)") {
        guard try directory.openForReading(name) != nil else { throw CassetteError.absent(directory: name) }
      }
    }
  }

  @Test("C05 writing, renaming and removing go through no link")
  func changes() throws {
    let folder = try TemporaryDirectory()
    let directory = try prepare(folder)
    #expect(throws: CassetteError.notAPlainFile(path: folder("c/folder/new"))) {
      _ = try directory.createFile("folder/new")
    }
    #expect(throws: CassetteError.notAPlainFile(path: folder("c/link"))) {
      _ = try directory.openForAppending("link")
    }
    #expect(throws: CassetteError.self) { try directory.rename("folder/one", to: "folder/two") }
    #expect(throws: CassetteError.self) { try directory.remove("folder/one") }
    #expect(throws: CassetteError.notAPlainFile(path: folder("c/folder"))) {
      try directory.makeFolder("folder")
    }
    #expect(throws: CassetteError.self) { _ = try directory.names(in: "folder") }
    #expect(try folder.names(of: "elsewhere") == ["one"])
    #expect(try folder.text("secret") == "outside")
  }

  @Test("C05 bodies of every wrong kind are refused without blocking")
  func kinds() throws {
    let folder = try TemporaryDirectory()
    let directory = try prepare(folder)
    #expect(mkfifo(folder("c/fifo"), 0o600) == 0)
    var kinds = ["fifo", "bodies"]
    if mknod(folder("c/zero"), S_IFCHR | 0o600, dev_t(0x105)) == 0 { kinds.append("zero") }
    for name in kinds {
      #expect(throws: CassetteError.notAPlainFile(path: folder("c/\(name)"))) {
        _ = try directory.openForReading(name)
      }
    }
  }

  @Test("D11 what is opened is no child's") func closedOnExec() throws {
    let folder = try TemporaryDirectory()
    let directory = try prepare(folder)
    let made = try directory.createFile("new")
    let appended = try directory.openForAppending("appended")
    let read = try #require(try directory.openForReading("one"))
    for descriptor in [directory.descriptor, made.descriptor, appended.descriptor, read.descriptor] {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
  }

  @Test("D4 directories made for a cassette that cannot be are removed again") func nothingIsLeft() throws {
    let folder = try TemporaryDirectory()
    let long = String(repeating: "x", count: 300)
    #expect(throws: CassetteError.self) { _ = try CassetteRecorder.open(testing: folder("a/b/\(long)")) }
    #expect(!folder.exists("a"))
  }
}
