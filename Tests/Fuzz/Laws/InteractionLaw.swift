import TapedeckHTTP

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// An interaction file: a `CassetteError`, or an interaction that is written and read as itself, to the same bytes.
enum InteractionLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let directory = try CassetteFolder.open()
    guard let interaction = try? read(input, directory) else { return }
    var stored: [String] = []
    defer { CassetteFolder.forget(stored, in: directory) }
    let first = try write(interaction, directory, &stored)
    let again: Interaction
    do throws(CassetteError) { again = try read(first, directory) } catch {
      throw BrokenLaw("\(error) in our own\n\(String(decoding: first, as: UTF8.self))")
    }
    try require(again.request == interaction.request, "\(interaction.request) became \(again.request)")
    try require(again.response == interaction.response, "\(interaction.response) became \(again.response)")
    let second = try write(again, directory, &stored)
    try require(
      second == first,
      "written as\n\(String(decoding: first, as: UTF8.self))\nand then as\n\(String(decoding: second, as: UTF8.self))"
    )
    try canBeSent(interaction)
    try ImportLaw.travels(again)
  }

  private static func read(
    _ bytes: [UInt8], _ directory: CassetteDirectory
  ) throws(CassetteError) -> Interaction {
    let tree = try JSONFile.parse(bytes, file: "file")
    let reader = CassetteReader(directory, matcher: RequestMatcher(comparesOrigin: tree["origin"] != nil))
    return try reader.interaction(tree, name: "file", in: "file").interaction
  }

  private static func write(
    _ interaction: Interaction, _ directory: CassetteDirectory, _ stored: inout [String]
  ) throws(BrokenLaw) -> [UInt8] {
    do throws(CassetteError) {
      let tree = try InteractionFormat.encode(interaction) { body throws(CassetteError) in
        try CassetteFolder.store(body, in: directory, noting: &stored)
      }
      return InteractionFormat.fileBytes(tree)
    } catch {
      throw BrokenLaw("what was read cannot be written: \(error)")
    }
  }

  /// Nothing that a file says can split the head that is sent.
  private static func canBeSent(_ interaction: Interaction) throws(BrokenLaw) {
    let head = interaction.response.head
    let out = HTTP1Serializer.openHead(head, framing: .none) + HTTP1Serializer.crlf
    var limits = HTTPLimits.response
    limits.fieldCount = .max
    var expected = head.fields
    expected.removeAll { $0.isNamed("transfer-encoding") || $0.isNamed("connection") }
    let sent = try? HTTP1ResponseHeadParser.parse(out, limits: limits)
    try require(
      sent?.status == head.status && sent?.fields == expected,
      "\(head) is sent as \(String(describing: sent))")
  }
}
