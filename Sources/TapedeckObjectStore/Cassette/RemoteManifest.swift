internal import TapedeckHTTP
internal import TapedeckRecording

/// The files of a cassette in an object store. Whoever puts a manifest seals the cassette; objects that no manifest in
/// force names are garbage.
///
/// The objects of a sealing lie in a folder of its own, `objects/SEAL/SHA256`, and are never written again. So no object
/// that was garbage once can come to be wanted, and removing garbage cannot harm a sealing that goes on meanwhile.
struct RemoteManifest: Equatable, Sendable {
  struct File: Equatable, Sendable {
    /// As in the cassette's folder.
    let name: String
    let bytes: Int
    let seal: String
    /// 64 lower-case hexadecimal digits.
    let digest: String

    var object: String { "objects/\(seal)/\(digest)" }
  }

  static let name = "manifest.json"
  static let limitBytes = 1 << 30
  private static let version = 1

  /// Tells this sealing from all others.
  let seal: String
  /// Sorted by name.
  let files: [File]

  init(seal: String, files: [File]) {
    self.seal = seal
    self.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// A line for each file.
  var bytes: [UInt8] {
    var out =
      "{\n  \"tapedeckRemoteCassette\": \(Self.version),\n  \"seal\": \(JSONValue(seal)),\n  \"files\": ["
    for (index, file) in files.enumerated() {
      out += index == 0 ? "\n" : ",\n"
      out += "    {\"name\": \(JSONValue(file.name)), \"bytes\": \(file.bytes), "
      out += "\"object\": \"\(file.seal)/\(file.digest)\"}"
    }
    return Array((out + "\n  ]\n}\n").utf8)
  }

  /// Reads a manifest, and trusts nothing in it: names must be those of a cassette's files.
  init(parsing bytes: [UInt8], at place: String) throws(StoreError) {
    func invalid(_ problem: String) -> StoreError { StoreError(place, .invalidManifest(problem)) }
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes) } catch { throw invalid("\(error)") }
    guard let version = document["tapedeckRemoteCassette"]?.int else {
      throw invalid("it is not one of ours")
    }
    guard version == Self.version else {
      throw invalid(
        "it has version \(version), and this tapedeck reads version \(Self.version); use a later one")
    }
    guard let seal = document["seal"]?.text, Self.isSeal(seal), let entries = document["files"]?.array else {
      throw invalid("`seal` or `files` is missing")
    }
    var files: [File] = []
    files.reserveCapacity(entries.count)
    var names: Set<String> = []
    for entry in entries {
      guard let name = entry["name"]?.text, let bytes = entry["bytes"]?.int, bytes >= 0,
        let object = entry["object"]?.text?.split(separator: "/"), object.count == 2,
        Self.isSeal(String(object[0])), Self.isDigest(String(object[1]))
      else { throw invalid("file \(files.count + 1) has no valid `name`, `bytes` and `object`") }
      guard Self.isFile(name), names.insert(name).inserted else {
        throw invalid("\(name.debugDescription) is no name of a cassette's file, or stands there twice")
      }
      files.append(File(name: name, bytes: bytes, seal: String(object[0]), digest: String(object[1])))
    }
    self.init(seal: seal, files: files)
  }

  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
  }

  private static func isSeal(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  /// Whether a name is that of a file that belongs to a cassette, and leads nowhere else.
  static func isFile(_ name: String) -> Bool {
    guard name.utf8.count <= 500, name.utf8.allSatisfy({ $0 >= ASCII.space && $0 != 0x7F }) else {
      return false
    }
    if name == CassetteNames.manifest || BodyFile.isName(name) { return true }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let leaf = parts.last, CassetteNames.isInteraction(leaf) else { return false }
    return parts.count == 1 || parts.count == 2 && CassetteNames.isFolder(parts[0]) && parts[0] != ".."
  }

  /// - Parameter random: 64 random bits.
  static func makeSeal(at time: SigningTime, random: UInt64) -> String {
    let digits = String(random, radix: 16)
    return "\(time.text)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }
}
