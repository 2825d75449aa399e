internal import CSystem

/// The process's memory, as far as the kernel is concerned.
public enum Memory {
  /// Returns to the kernel what was freed but kept for later; takes milliseconds when it is much.
  public static func giveBack() { td_give_back_memory() }
}
