// Faults made on purpose, to see that a sanitizer is awake; built by Tools/check and nothing else.
import Glibc
import Synchronization

/// What two threads count in without asking each other.
nonisolated(unsafe) var unguarded = 0
nonisolated let guarded = Mutex(0)

final class Node {
  var other: Node?
}

/// Runs `body` in two threads of its own, so that no queue can give both turns to one.
func twice(_ body: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?) {
  var threads: [pthread_t] = [0, 0]
  for index in threads.indices { pthread_create(&threads[index], nil, body, nil) }
  for thread in threads { pthread_join(thread, nil) }
}

@inline(never) func leak() {
  let (one, two) = (Node(), Node())
  one.other = two
  two.other = one
}

@inline(never) func overrun(_ count: Int) -> UInt8 {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
  defer { bytes.deallocate() }
  bytes.initializeMemory(as: UInt8.self, repeating: 0)
  guard let start = bytes.baseAddress else { return 0 }
  return start.assumingMemoryBound(to: UInt8.self)[count]
}

switch CommandLine.arguments.dropFirst().first {
case "race":
  twice { _ in
    for _ in 0..<10_000 { unguarded += 1 }
    return nil
  }
case "mutex":
  twice { _ in
    for _ in 0..<50_000 { guarded.withLock { $0 += 1 } }
    return nil
  }
  print(guarded.withLock { $0 })
case "leak": for _ in 0..<100 { leak() }
case "overrun": print(overrun(7))
default: print("race, mutex, leak or overrun?")
}
