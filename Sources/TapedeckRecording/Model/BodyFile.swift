package import TapedeckRedaction

/// A body in a file of the cassette, named after its content.
public struct BodyFile: Sendable {
  /// `bodies/` and the first 32 hexadecimal digits of the content's SHA-256, and `.bin`.
  public let name: String
  /// In bytes.
  public let size: Int
  package let directory: CassetteDirectory

  package init(name: String, size: Int, directory: CassetteDirectory) {
    self.name = name
    self.size = size
    self.directory = directory
  }

  /// Opens the file for reading in pieces.
  public func open() throws(CassetteError) -> BodyFileReader {
    try BodyFileReader(directory.openBody(name), name: name, size: size)
  }
}

extension BodyFile: Equatable {
  /// Files with one name have one content.
  public static func == (left: BodyFile, right: BodyFile) -> Bool {
    left.name == right.name && left.size == right.size
  }
}

extension BodyFile {
  /// The name and size a body would have; nothing is written.
  init(unwritten body: [UInt8]) throws(CassetteError) {
    self.init(
      name: Self.name(digest: SHA256Digest(of: body)), size: body.count,
      directory: try CassetteDirectory(opening: "."))
  }

  package static let folder = "bodies"

  package static func name(digest: SHA256Digest) -> String { "\(folder)/\(digest.hex.prefix(32)).bin" }

  /// Whether `name` is `bodies/<32 hex>.bin` and nothing else, so that it cannot lead anywhere.
  package static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 43, name.hasPrefix("bodies/"), name.hasSuffix(".bin") else { return false }
    return bytes[7..<39].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension BodyFile {
  /// Writes a body into the cassette. The caller must hold the lock.
  package static func store(_ body: [UInt8], in directory: CassetteDirectory) throws(CassetteError)
    -> BodyFile
  {
    let file = BodyFile(name: name(digest: SHA256Digest(of: body)), size: body.count, directory: directory)
    let temporary = "\(folder)/\(BodySpool.prefix)late"
    try directory.makeFolder(folder)
    try directory.createFile(temporary, contents: body)
    try directory.rename(temporary, to: file.name)
    return file
  }
}
