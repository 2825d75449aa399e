/// Why bytes are not the YAML that is read here, and where: lines and columns count from 1, columns in characters.
struct YAMLError: Error, Equatable {
  var problem: String
  var line: Int
  var column: Int
}
