import TapedeckHTTP

extension InteractionFormat {
  /// The interaction as its file.
  static func fileBytes(_ tree: JSONValue) -> [UInt8] { FileLayout.bytes(tree) }

  /// The file without its volatile facts.
  static func stableBytes(_ tree: JSONValue) -> [UInt8] {
    fileBytes(.object((tree.members ?? []).filter { !$0.name.isEqual(to: "volatile") }))
  }

  /// The files in `bodies/` that a tree refers to.
  static func bodyNames(_ tree: JSONValue) -> [String] {
    (tree.members ?? []).compactMap { side in
      guard case .object(let members) = side.value,
        let body = members.first(where: { $0.name.isEqual(to: "body") })?.value,
        case .object(let form) = body
      else { return nil }
      return form.first { $0.name.isEqual(to: "file") }?.value.text
    }
  }
}
