/// How much of a cassette is loaded, held against the limits.
package struct CassetteLoad {
  let path: String
  private var interactions = 0
  private var bytes = 0

  package init(path: String) { self.path = path }

  package mutating func add(_ stored: FileInteraction) throws(CassetteError) {
    try add(interactions: 1, bytes: stored.bytes)
  }

  mutating func add(interactions count: Int, bytes added: Int) throws(CassetteError) {
    interactions += count
    bytes += added
    guard interactions <= CassetteLimits.interactions else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.interactions) interactions")
    }
    guard bytes <= CassetteLimits.loadedBytes else {
      throw .overLimit(path: path, problem: "more than \(CassetteLimits.loadedBytes) bytes to hold in memory")
    }
  }
}
