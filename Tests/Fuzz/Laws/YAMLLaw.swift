@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// YAML: an error with a place in the text, or a value; and a cassette of VCR's family made of it keeps the law of
/// imports.
enum YAMLLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    do throws(YAMLError) {
      _ = try YAMLReader.parse(input)
    } catch {
      let lines = 1 + input.count { $0 == 0x0A }
      return try require(
        (1...lines).contains(error.line) && (1...input.count + 1).contains(error.column), "\(error)")
    }
    try ImportLaw.check(input)
  }
}
