import TapedeckHTTP
import TapedeckRedaction

/// Reads bodies from files and checks them against their names. Each file is examined once, and
/// held once however many refer to it; one thread uses a loader.
package final class BodyLoader {
  /// Nil for an interaction outside any cassette, which has no files.
  private let directory: CassetteDirectory?
  private var sizes: [String: Int] = [:]
  private var held: [String: [UInt8]] = [:]

  private let readsFiles: Bool

  /// - Parameter readsFiles: without it a body in a file is known by its name and by the size that is written beside it,
  ///   whether the file is there or not.
  package init(directory: CassetteDirectory?, readsFiles: Bool = true) {
    self.directory = directory
    self.readsFiles = readsFiles
  }

  /// - Parameters:
  ///   - place: where the interaction names the body.
  ///   - file: the interaction's, for messages.
  func body(
    _ decoded: BodyFormat.Decoded, at place: JSONPlace, in file: String
  ) throws(CassetteError) -> RecordedBody {
    let (name, size): (String, Int?)
    switch decoded {
    case .bytes(let bytes): return .bytes(bytes)
    case .file(let file, let written): (name, size) = (file, written)
    }
    guard BodyFile.isName(name) else {
      throw .invalidBody(
        file: file, body: name, problem: "is not called `bodies/` and 32 hexadecimal digits and `.bin`")
    }
    guard let directory else {
      throw CassetteError(place.problem("a body in a file has no place outside a cassette"), in: file)
    }
    do throws(CassetteError) {
      if !readsFiles { return .file(BodyFile(name: name, size: size ?? 0, directory: directory)) }
      return try body(name, size: size, in: directory)
    } catch .system(_, _, _, let reason) {
      throw .invalidBody(file: file, body: name, problem: "cannot be read (\(reason))")
    } catch .notAPlainFile {
      throw .invalidBody(
        file: file, body: name, problem: "is not a plain file, or bodies/ is no plain folder")
    } catch .invalidEntry(_, _, let problem) {
      throw .invalidBody(file: file, body: name, problem: problem)
    }
  }

  private func body(
    _ name: String, size: Int?, in directory: CassetteDirectory
  ) throws(CassetteError) -> RecordedBody {
    let file = try directory.openBody(name)
    let actual = try file.status().size
    guard size == nil || size == actual else {
      throw .invalidEntry(
        file: name, member: "", problem: "has \(actual) bytes where `size` says \(size ?? 0)")
    }
    guard actual <= CassetteLimits.bodyFileBytes else {
      throw .invalidEntry(
        file: name, member: "",
        problem: "has \(actual) bytes, more than the limit of \(CassetteLimits.bodyFileBytes)")
    }
    guard actual > BodyFormat.maximumHeldBytes else {
      if let bytes = held[name], bytes.count == actual { return .bytes(bytes) }
      let bytes = try file.bytes(at: 0, count: actual)
      try verify(name, digest: SHA256Digest(of: bytes))
      held[name] = bytes
      return .bytes(bytes)
    }
    if sizes[name] != actual {
      try verify(name, digest: BodyFileReader(file, name: name, size: actual).digest())
      sizes[name] = actual
    }
    return .file(BodyFile(name: name, size: actual, directory: directory))
  }

  private func verify(_ name: String, digest: SHA256Digest) throws(CassetteError) {
    guard BodyFile.name(digest: digest) == name else {
      throw .invalidEntry(
        file: name, member: "", problem: "does not hold the content that its name stands for")
    }
  }
}
