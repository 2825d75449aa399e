import Testing

@testable import TapedeckRecording

@Suite struct WorkersTests {
  @Test(arguments: [0, 1, 64, 65, 1000])
  func `results come in the order of the items, whichever thread made them`(_ count: Int) throws {
    let results = try Workers.map(Array(0..<count)) { items throws(CassetteError) in items.map { $0 * 2 } }
    #expect(results == (0..<count).map { $0 * 2 })
  }

  @Test func `the first failure in that order is thrown`() {
    func failing(_ numbers: Set<Int>) -> String? {
      do throws(CassetteError) {
        _ = try Workers.map(Array(0..<1000)) { items throws(CassetteError) in
          for item in items where numbers.contains(item) {
            throw .overLimit(path: "c", problem: "\(item)")
          }
          return Array(items)
        }
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(failing([]) == nil)
    #expect(failing([200, 900])?.contains("200") == true)
  }
}
