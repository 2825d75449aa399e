package import TapedeckHTTP

/// JSON that stands in a file.
package enum JSONFile {
  package static func parse(_ bytes: [UInt8], file: String) throws(CassetteError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw .invalidJSON(file: file, error: error)
    }
  }
}
