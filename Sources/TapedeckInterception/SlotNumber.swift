/// A number as a type, written in binary: classes that are made while the program runs are told apart by it.
protocol SlotNumber: SendableMetatype {
  static var number: Int { get }
}

enum ZeroSlot: SlotNumber {
  static var number: Int { 0 }
}

enum EvenSlot<Half: SlotNumber>: SlotNumber {
  static var number: Int { 2 * Half.number }
}

enum OddSlot<Half: SlotNumber>: SlotNumber {
  static var number: Int { 2 * Half.number + 1 }
}

/// The type of a number.
func slotType(_ number: Int) -> any SlotNumber.Type {
  func even<Half: SlotNumber>(_ half: Half.Type) -> any SlotNumber.Type { EvenSlot<Half>.self }
  func odd<Half: SlotNumber>(_ half: Half.Type) -> any SlotNumber.Type { OddSlot<Half>.self }
  if number == 0 { return ZeroSlot.self }
  return number.isMultiple(of: 2) ? even(slotType(number / 2)) : odd(slotType(number / 2))
}
