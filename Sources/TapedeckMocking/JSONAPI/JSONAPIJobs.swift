internal import Synchronization

/// Resources that are still being made, for clients that are told to come back.
final class JSONAPIJobs: Sendable {
  struct Job: Sendable {
    let change: ResourceChange
    var remainingPolls: Int
    let retryAfterSeconds: Int
    /// Whether somebody makes the resource, so that nobody else does.
    var isTaken = false
    /// Of what came of it.
    var resourceID: String?
  }

  private let jobs = Mutex<(all: [String: Job], next: Int)>(([:], 1))

  func add(_ change: ResourceChange, polls: Int, retryAfterSeconds: Int) -> String {
    jobs.withLock { jobs in
      defer { jobs.next += 1 }
      let id = String(jobs.next)
      jobs.all[id] = Job(change: change, remainingPolls: polls, retryAfterSeconds: retryAfterSeconds)
      return id
    }
  }

  /// The job as it is now, asked once more.
  func poll(_ id: String) -> Job? {
    jobs.withLock { jobs in
      guard let job = jobs.all[id] else { return nil }
      jobs.all[id]?.remainingPolls = max(0, job.remainingPolls - 1)
      return job
    }
  }

  /// Makes what a job is about; once, whoever asks. Nil while somebody else is about it.
  func finish(_ id: String, _ make: () throws -> String) rethrows -> String? {
    let (isOurs, known) = jobs.withLock { jobs in
      let job = jobs.all[id]
      jobs.all[id]?.isTaken = true
      return (job?.isTaken == false, job?.resourceID)
    }
    guard isOurs else { return known }
    do {
      let made = try make()
      jobs.withLock { $0.all[id]?.resourceID = made }
      return made
    } catch {
      jobs.withLock { $0.all[id]?.isTaken = false }
      throw error
    }
  }
}
