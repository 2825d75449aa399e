import Glibc

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// The directory of a cassette for laws that need one: made when first asked for, gone when the process ends.
enum CassetteFolder {
  private static let path: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/tapedeck-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("cannot make a folder in \(parent)") }
    atexit { CassetteFolder.removeAll() }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  static func open() throws(BrokenLaw) -> CassetteDirectory {
    do throws(CassetteError) { return try CassetteDirectory(opening: path) } catch {
      throw BrokenLaw("\(error)")
    }
  }

  private static func removeAll() {
    unlink("\(path)/\(CassetteNames.journal)")
    rmdir("\(path)/\(BodyFile.folder)")
    rmdir(path)
  }

  /// Keeps a body as sealing would, and notes its name for `forget`.
  static func store(
    _ body: [UInt8], in directory: CassetteDirectory, noting stored: inout [String]
  ) throws(CassetteError) -> BodyFile {
    let name = BodyFile.name(digest: SHA256Digest(of: body))
    if !stored.contains(name) {
      try directory.makeFolder(BodyFile.folder)
      try directory.createFile(name, contents: body)
      stored.append(name)
    }
    return BodyFile(name: name, size: body.count, directory: directory)
  }

  static func forget(_ stored: [String], in directory: CassetteDirectory) {
    for name in stored { try? directory.remove(name) }
  }
}
