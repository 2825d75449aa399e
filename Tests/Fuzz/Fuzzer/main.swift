// The fuzzer: libFuzzer over the laws. TAPEDECK_FUZZ_TARGET names the one to hold; arguments are libFuzzer's.
import CFuzzer
import Glibc

/// A global of a type, since libFuzzer takes a plain C function, which can hold on to nothing.
enum Wanted {
  static let name = getenv("TAPEDECK_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  static let target = FuzzTarget.all.first { $0.name == name }
}

guard Wanted.target != nil else {
  print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
  exit(Wanted.name.isEmpty ? 0 : 2)
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
    do throws(BrokenLaw) {
      try Wanted.target?.check(Array(UnsafeBufferPointer(start: bytes, count: size)))
    } catch {
      fatalError("the law of \(Wanted.name) is broken: \(error)")
    }
    return 0
  })
