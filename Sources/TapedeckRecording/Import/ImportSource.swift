/// A file to import from.
struct ImportSource {
  /// As the user named it, for messages.
  let path: String
  var bytes: [UInt8]
  /// The folder it stands in, beneath which it may name other files; nil when it stands in none.
  var folder: String?
}
