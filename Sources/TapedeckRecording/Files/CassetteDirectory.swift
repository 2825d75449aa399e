/// The disk, as this room sees it: one open directory, in which everything is found by plain name.
///
/// Names are opened beneath the directory's descriptor and never through links (`openat2`, see `open(beneath:)`), never
/// blocking on what is no plain file, and for reading leave no trace (`O_NOATIME` where the system lets us). Failures
/// carry the path and the system's word for what went wrong.
package final class CassetteDirectory: Sendable {
  /// As the user gave it, for messages.
  package let path: String
  private let folder: OpenFile

  var descriptor: Int32 { folder.descriptor }

  /// Opens a directory; `absent` when nothing is there.
  package init(opening path: String) throws(CassetteError) {
    folder = try OpenFile(folder: path)
    self.path = path
  }

  /// Opens a directory, making it and its parents where they are missing, for the owner's eyes only.
  /// - Returns: also what was made, outermost first.
  package static func create(_ path: String) throws(CassetteError) -> (
    directory: CassetteDirectory, made: [String]
  ) {
    var made: [String] = []
    do throws(CassetteError) {
      var end = path.utf8.startIndex
      while end != path.utf8.endIndex {
        let start = path.utf8.index(after: end)
        end = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
        let prefix = String(path[..<end])
        if try make(prefix) { made.append(prefix) }
      }
      return (try CassetteDirectory(opening: path), made)
    } catch {
      removeMade(made)
      throw error
    }
  }

  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// All of a plain file; nil when it is not there.
  package func contents(of name: String, limit: Int) throws(CassetteError) -> [UInt8]? {
    guard let file = try openForReading(name) else { return nil }
    return try file.contents(limit: limit)
  }

  /// The bytes of a plain file; nil when there is none of that name.
  package func size(of name: String) throws(CassetteError) -> Int? {
    guard let status = try status(of: name), status.isPlain else { return nil }
    return status.size
  }

  /// Whether a name is one of a folder, and no link to one.
  package func isFolder(_ name: String) -> Bool { (try? status(of: name))?.kind == .folder }

  /// Whether `name` still leads to the open file.
  func names(_ name: String, _ file: OpenFile) throws(CassetteError) -> Bool {
    guard let status = try status(of: name) else { return false }
    let own = try file.status()
    return own.device == status.device && own.inode == status.inode
  }

  /// A file in `bodies/`, whose name has been checked.
  package func openBody(_ name: String) throws(CassetteError) -> OpenFile {
    guard let file = try openForReading(name) else { throw .missing(path(of: name)) }
    return file
  }

  /// A plain file; nil when it is not there.
  package func openForReading(_ name: String) throws(CassetteError) -> OpenFile? {
    guard let file = try openAny(name) else { return nil }
    guard try file.status().isPlain else { throw .notAPlainFile(path: file.path) }
    return file
  }

  package func createFile(_ name: String, contents: [UInt8]) throws(CassetteError) {
    try createFile(name).write(contents)
  }

  /// The names in the directory, or in a folder of it, sorted by their bytes; none when the folder is not there.
  package func names(in folder: String = ".") throws(CassetteError) -> [String] {
    var list = NameList()
    try eachName(in: folder) { list.append($0) }
    list.sort()
    return try list.strings { name in
      .invalidEntry(file: path(of: name), member: "", problem: "the name is not UTF-8")
    }
  }
}

/// Names as they were read, one behind the other in one piece of memory.
private struct NameList {
  private var bytes: [UInt8] = []
  private var ranges: [Range<Int>] = []

  mutating func append(_ name: UnsafeRawBufferPointer) {
    if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return }
    let start = bytes.count
    bytes.append(contentsOf: name)
    ranges.append(start..<bytes.count)
    // Padding for `precedes`, which reads eight bytes at a time.
    bytes.append(contentsOf: repeatElement(0, count: 8))
  }

  mutating func sort() {
    bytes.withUnsafeBytes { bytes in ranges.sort { Self.precedes($0, $1, in: bytes) } }
  }

  /// Compares eight bytes at a time; no name holds a zero.
  private static func precedes(
    _ left: Range<Int>, _ right: Range<Int>, in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    for offset in stride(from: 0, through: min(left.count, right.count), by: 8) {
      let old = bytes.loadUnaligned(fromByteOffset: left.lowerBound + offset, as: UInt64.self)
      let new = bytes.loadUnaligned(fromByteOffset: right.lowerBound + offset, as: UInt64.self)
      if old != new { return old.bigEndian < new.bigEndian }
    }
    return false
  }

  func strings(_ invalid: (String) -> CassetteError) throws(CassetteError) -> [String] {
    try ranges.map { range throws(CassetteError) in
      guard let name = String(validating: bytes[range], as: UTF8.self) else {
        throw invalid(String(decoding: bytes[range], as: UTF8.self))
      }
      return name
    }
  }
}
