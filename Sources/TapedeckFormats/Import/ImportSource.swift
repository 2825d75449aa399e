/// A file to import from.
package struct ImportSource {
  /// As the user named it, for messages.
  package let path: String
  package var bytes: [UInt8]
  /// The folder it stands in, beneath which it may name other files; nil when it stands in none.
  var folder: String?
}
