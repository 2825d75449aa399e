internal import Synchronization

/// Resources that are still being made, for clients that are told to come back.
final class JSONAPIJobs: Sendable {
  struct Job: Sendable {
    let change: ResourceChange
    var remainingPolls: Int
    let retryAfterSeconds: Int
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

  /// What came of a job; the first to say so is right.
  func finish(_ id: String, resourceID: String) -> String {
    jobs.withLock { jobs in
      let known = jobs.all[id]?.resourceID ?? resourceID
      jobs.all[id]?.resourceID = known
      return known
    }
  }
}
