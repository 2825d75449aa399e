/// What a store's client needs of the process that it runs in.
package struct StoreSurroundings: Sendable {
  /// A variable of the environment; `nil` if it is absent.
  package var variable: @Sendable (String) -> String?
  /// The bytes of a file; `nil` if it cannot be read.
  package var file: @Sendable (String) -> [UInt8]?
  /// Seconds since 1970.
  package var seconds: @Sendable () -> Int
  /// Of a clock that never goes back.
  package var milliseconds: @Sendable () -> Int

  package init(
    variable: @escaping @Sendable (String) -> String?, file: @escaping @Sendable (String) -> [UInt8]?,
    seconds: @escaping @Sendable () -> Int, milliseconds: @escaping @Sendable () -> Int
  ) {
    (self.variable, self.file, self.seconds, self.milliseconds) = (variable, file, seconds, milliseconds)
  }
}
