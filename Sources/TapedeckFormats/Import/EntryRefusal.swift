/// Why an entry of a file cannot become an interaction. Its problem ends in a note.
struct EntryRefusal: Error {
  var problem: String

  init(_ problem: String) { self.problem = problem }
}
