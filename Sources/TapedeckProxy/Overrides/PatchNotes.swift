internal import Synchronization

/// What the patches of one request have come to: asked for by logs, which belong to another time than the answer.
final class PatchNotes: Sendable {
  private struct Note {
    var id: String
    var remarks: [String] = []
  }

  private let notes: Mutex<[Note]>

  init(_ ids: [String]) { notes = Mutex(ids.map { Note(id: $0) }) }

  /// Why a patch did not do what it should.
  func remark(_ text: String, on index: Int) {
    notes.withLock { notes in
      if !notes[index].remarks.contains(text) { notes[index].remarks.append(text) }
    }
  }

  var lines: [String] {
    notes.withLock { notes in
      notes.map { note in
        note.remarks.isEmpty
          ? "patch \(note.id)" : "patch \(note.id) (\(note.remarks.joined(separator: "; ")))"
      }
    }
  }
}
