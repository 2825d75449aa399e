/// By what a file is known again within one run: another content has another fingerprint, but for one in 2⁶⁴.
package struct ContentFingerprint: Equatable {
  private let value: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    value = hasher.finalize()
  }
}
