package import TapedeckRedaction

/// A body in a file of the cassette, named after its content.
public struct BodyFile: Sendable {
  /// `bodies/`, the first 32 hexadecimal digits of the content's SHA-256, and `.bin`.
  public let name: String
  /// The size in bytes.
  public let size: Int
  package let directory: CassetteDirectory

  package init(name: String, size: Int, directory: CassetteDirectory) {
    self.name = name
    self.size = size
    self.directory = directory
  }

  /// The file that a body would have; nothing is written.
  init(unwritten body: [UInt8], in directory: CassetteDirectory) {
    self.init(name: Self.name(digest: SHA256Digest(of: body)), size: body.count, directory: directory)
  }

  init(unwritten body: [UInt8]) throws(CassetteError) {
    self.init(unwritten: body, in: try CassetteDirectory(opening: "."))
  }

  /// Writes a body into the cassette. The caller must hold the lock.
  package static func store(_ body: [UInt8], in directory: CassetteDirectory) throws(CassetteError)
    -> BodyFile
  {
    let file = BodyFile(unwritten: body, in: directory)
    let temporary = "\(folder)/\(BodySpool.prefix)late"
    try directory.makeFolder(folder)
    try directory.createFile(temporary, contents: body)
    try directory.rename(temporary, to: file.name)
    return file
  }

  public func open() throws(CassetteError) -> BodyFileReader {
    try BodyFileReader(directory.openBody(name), name: name, size: size)
  }

  package static let folder = "bodies"

  package static func name(digest: SHA256Digest) -> String { "\(folder)/\(digest.hex.prefix(32)).bin" }

  /// Whether `name` is exactly `bodies/<32 hex>.bin`, so that it cannot lead outside.
  package static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 43, name.hasPrefix("bodies/"), name.hasSuffix(".bin") else { return false }
    return bytes[7..<39].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension BodyFile: Equatable {
  /// Files with the same name have the same content.
  public static func == (left: BodyFile, right: BodyFile) -> Bool {
    left.name == right.name && left.size == right.size
  }
}

/// An open body file, read in pieces. Thread-safe.
public final class BodyFileReader: Sendable {
  public let name: String
  /// The size in bytes.
  public let size: Int
  private let file: OpenFile

  package init(_ file: OpenFile, name: String, size: Int) {
    self.file = file
    self.name = name
    self.size = size
  }

  /// Reads from `offset` what fits into `buffer`; returns 0 at the end.
  public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CassetteError) -> Int {
    try file.read(at: offset, into: buffer)
  }

  /// Reads at most `count` bytes from `offset`; fewer at the end.
  public func bytes(at offset: Int, count: Int) throws(CassetteError) -> [UInt8] {
    try file.bytes(at: offset, count: max(0, min(count, size - offset)))
  }

  func digest() throws(CassetteError) -> SHA256Digest {
    let stream = SHA256Stream()
    var offset = 0
    while true {
      let piece = try file.bytes(at: offset, count: 256 * 1024)
      guard !piece.isEmpty else { return stream.finish() }
      piece.withUnsafeBytes(stream.update)
      offset += piece.count
    }
  }
}
