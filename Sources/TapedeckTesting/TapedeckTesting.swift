// Traits of Swift Testing, and `withCassette` for XCTest, with everything that `import Tapedeck` shows. A product of its
// own: a program that is no test does not link Swift Testing.
@_exported public import Tapedeck
