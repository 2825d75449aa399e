import Glibc

extension CassetteDirectory {
  /// The names in the directory, or in a folder of it, sorted by their bytes; none when the folder is not there.
  package func names(in folder: String = ".") throws(CassetteError) -> [String] {
    let copy = open(beneath: folder, Self.flags)
    guard copy >= 0 else {
      if errno == ENOENT { return [] }
      throw .failed("open", path(of: folder))
    }
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw .failed("list", path(of: folder))
    }
    defer { closedir(stream) }
    var list = NameList()
    errno = 0
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        list.append(UnsafeRawBufferPointer(start: name, count: strlen(UnsafeRawPointer(name))))
      }
      errno = 0
    }
    guard errno == 0 else { throw .failed("list", path(of: folder)) }
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
    // For strcmp.
    bytes.append(0)
    ranges.append(start..<bytes.count - 1)
  }

  mutating func sort() {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      ranges.sort { strcmp(start + $0.lowerBound, start + $1.lowerBound) < 0 }
    }
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
