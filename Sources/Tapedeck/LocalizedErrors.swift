public import Foundation
public import TapedeckHTTP
public import TapedeckMocking
public import TapedeckOverrides
public import TapedeckProxy
public import TapedeckRecording

// `localizedDescription` is the same text as `description`. It stands here because the rooms do without Foundation.

extension HTTPFieldError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension JSONError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension PathPatternError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension Response.FileError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension MockRouteError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension RouterError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension SeedingError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension SerializationError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension TemplateError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension FeatherError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension OverrideProblem: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension ProxyError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}

extension CassetteError: LocalizedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
}
