import TapedeckHTTP

/// JSON that stands in a file.
enum JSONFile {
  /// The largest interaction file that is read.
  static let maximumBytes = 256 * 1024 * 1024

  static func parse(_ bytes: [UInt8], file: String) throws(CassetteError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw .invalidJSON(file: file, error: error)
    }
  }
}
