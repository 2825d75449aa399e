public import TapedeckMocking
internal import TapedeckSockets

// Files as bodies. The router itself reads none, so that it stays without the operating system.

extension Response {
  /// Why a file cannot be read.
  public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    public let path: String
    /// The reason, in the words of the operating system.
    public let problem: String

    /// Path and reason.
    public var description: String { "\(path): \(problem)" }

    fileprivate static func read(_ path: String) throws(FileError) -> [UInt8] {
      do throws(FileContents.Problem) { return try FileContents.read(path, mayBePipe: true) } catch {
        throw FileError(path: path, problem: error.text)
      }
    }
  }

  /// Creates a response with a file as its body. The file is read now, so that errors show where the response is made.
  /// - Parameter contentType: by default guessed from the file's name.
  /// - Throws: `FileError`.
  public init(
    statusCode: Int = 200, file path: String, contentType: String? = nil, headers: HeaderFields = [:]
  ) throws(FileError) {
    self.init(
      statusCode: statusCode, data: try FileError.read(path),
      contentType: contentType ?? FileName.mediaType(of: path), headers: headers)
  }
}

extension Template {
  /// Reads a file.
  /// - Parameter escaping: by default HTML for `page.html.mustache`, `.xml` and `.svg`, JSON for `user.json`, else none.
  public init(file: String, escaping: Escaping? = nil) throws(TemplateError) {
    let bytes: [UInt8]
    do throws(Response.FileError) { bytes = try Response.FileError.read(file) } catch {
      throw TemplateError(place: file, problem: error.problem)
    }
    try self.init(bytes, from: file, escaping: escaping)
  }
}

extension Router {
  /// Registers routes that are data: all, or none when one of them cannot be served. One that is for the same requests as
  /// another replaces it.
  /// - Parameter folder: of the files that they name; nil for the current one.
  @discardableResult
  public func mock(_ routes: [MockRoute], folder: String? = nil) throws(MockRouteError) -> [Route] {
    try mock(routes) { name in
      try Response.FileError.read(folder.map { name.hasPrefix("/") ? name : "\($0)/\(name)" } ?? name)
    }
  }
}
