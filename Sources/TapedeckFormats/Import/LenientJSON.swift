package import TapedeckHTTP
package import TapedeckRecording

/// JSON of tools that are not strict about it: behind a byte order mark (which HAR 1.2 allows), and with Python's
/// `NaN` and `Infinity` where numbers stand, which are read as -1, as HAR says "does not apply".
package enum LenientJSON {
  package static func parse(_ bytes: [UInt8], file: String) throws(CassetteError) -> JSONValue {
    let document = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    do throws(JSONError) {
      return try JSONValue(parsing: document)
    } catch {
      guard mayBeNonNumber(error) else { throw .invalidJSON(file: file, error: error) }
      return try JSONFile.parse(withoutNonNumbers(document), file: file)
    }
  }

  private static func mayBeNonNumber(_ error: JSONError) -> Bool {
    if case .unexpectedByte(let byte) = error.reason { return "NI".utf8.contains(byte) }
    return error.reason == .invalidNumber
  }

  /// Every place stays where it is, so that what is still wrong is named by its right line and column.
  private static func withoutNonNumbers(_ bytes: [UInt8]) -> [UInt8] {
    var out = bytes
    var index = 0
    while index < out.count {
      if out[index] == UInt8(ascii: "\"") {
        index = endOfString(out, from: index)
      } else if let word = ["NaN", "-Infinity", "Infinity"].first(where: {
        out[index...].starts(with: $0.utf8)
      }) {
        let number = Array("-1".utf8) + Array(repeating: UInt8(ascii: " "), count: word.utf8.count - 2)
        out.replaceSubrange(index..<(index + number.count), with: number)
        index += number.count
      } else {
        index += 1
      }
    }
    return out
  }

  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index + 1
  }
}
