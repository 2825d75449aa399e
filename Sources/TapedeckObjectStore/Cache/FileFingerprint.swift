/// Tells whether a folder still holds the files of a manifest, unchanged, and no others: their names and sizes in one
/// value that does not depend on their order. Of a folder it costs a system call for each file, so that a start with a warm
/// cache need not parse the manifest. It finds accidents, not attacks: the folder is ours alone.
struct FileFingerprint: Equatable {
  private var count = 0
  private var bytes = 0
  /// The sum of a hash of each name with its size.
  private var names: UInt64 = 0

  init(of manifest: RemoteManifest) {
    for file in manifest.files { add(file.name.utf8, bytes: file.bytes) }
  }

  /// `nil` if a file was changed since it was cached.
  init?(of folder: String) {
    var isUnchanged = true
    StoreFiles.eachFile(in: folder) { folder, name, status in
      isUnchanged = isUnchanged && status.isMarked
      guard let folder else { return add(name, bytes: status.bytes) }
      add(Array("\(folder)/".utf8) + name, bytes: status.bytes)
    }
    if !isUnchanged { return nil }
  }

  /// Reads what `description` wrote.
  init?(parsing text: String) {
    let words = text.split(separator: " ")
    guard words.count == 3, let count = Int(words[0]), let bytes = Int(words[1]),
      let names = UInt64(words[2], radix: 16)
    else { return nil }
    (self.count, self.bytes, self.names) = (count, bytes, names)
  }

  private mutating func add(_ name: some Sequence<UInt8>, bytes: Int) {
    // FNV-1a with 64 bits.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ UInt64(truncatingIfNeeded: bytes)) &* 0x100_0000_01b3
    count += 1
    self.bytes += bytes
    names &+= hash
  }
}

extension FileFingerprint: CustomStringConvertible {
  var description: String { "\(count) \(bytes) \(String(names, radix: 16))" }
}
