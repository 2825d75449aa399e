internal import Glibc

/// Files as bodies. The only file of this room that touches the disk.
package enum LocalFile {
  private static let chunkBytes = 64 * 1024

  static func read(_ path: String) throws(FileError) -> [UInt8] {
    guard let file = fopen(path, "rbe") else { throw FileError(path: path, errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      let count = fread(&chunk, 1, chunkBytes, file)
      bytes += chunk[..<count]
      if count < chunkBytes { break }
    }
    guard ferror(file) == 0 else { throw FileError(path: path, errno) }
    return bytes
  }

  // MARK: Names

  private static let mediaTypes = [
    "json": "application/json", "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "xml": "application/xml", "yaml": "application/yaml",
    "yml": "application/yaml", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "ico": "image/vnd.microsoft.icon",
    "pdf": "application/pdf", "zip": "application/zip", "wasm": "application/wasm", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "woff2": "font/woff2", "gz": "application/gzip",
  ]

  /// In lower case, the last first: `page.html.mustache` has `mustache` and `html`.
  static func extensions(of path: String) -> [String] {
    let name = path.split(separator: "/").last ?? ""
    return name.split(separator: ".").dropFirst().reversed().map { $0.lowercased() }
  }

  /// The media type that the file's name suggests.
  package static func mediaType(of path: String) -> String {
    let known = extensions(of: path).first { $0 != "mustache" }.flatMap { mediaTypes[$0] }
    return known ?? "application/octet-stream"
  }
}

/// Why a file cannot be read.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path as it was given.
  public let path: String
  /// The reason, in the words of the operating system.
  public let problem: String

  init(path: String, _ code: Int32) {
    self.path = path
    problem = String(cString: strerror(code))
  }

  /// Path and reason.
  public var description: String { "\(path): \(problem)" }
}
