@_spi(Reflection) internal import Swift

/// What a type is made of.
///
/// The standard library tells only for the fields of a structure, so the type is asked for as the field of one.
enum TypeKind {
  case structure, enumeration, `class`, existential, tuple, other

  private struct Probe<T> { let value: T }

  init<T>(of type: T.Type) {
    var kind: TypeKind = .other
    _ = _forEachField(of: Probe<T>.self) { _, _, _, field in
      switch field {
      case .struct: kind = .structure
      case .enum, .optional: kind = .enumeration
      case .class, .objcClassWrapper, .foreignClass: kind = .class
      case .existential: kind = .existential
      case .tuple: kind = .tuple
      default: kind = .other
      }
      return true
    }
    self = kind
  }
}
