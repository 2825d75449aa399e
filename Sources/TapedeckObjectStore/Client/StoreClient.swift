internal import TapedeckHTTP
internal import TapedeckUpstream

/// Sends requests to a bucket: signed, in parallel, and again after failures that pass. Used by one thread at a time, which
/// must not be that of an event loop.
///
/// What failed while it was under way may have been done all the same, so everything that is sent twice is either the same
/// both times, or conditional, and then looked up afterwards (`RemoteCassette.publish`).
package final class StoreClient {
  package let address: StoreAddress
  private let surroundings: StoreSurroundings
  private let endpoint: StoreEndpoint
  private let region: String
  private let pool: TransferPool
  private let provider: CredentialProvider
  /// Requests that were sent, with those that failed.
  package private(set) var requestCount = 0

  package init(_ address: StoreAddress, _ surroundings: StoreSurroundings) throws(StoreError) {
    (self.address, self.surroundings) = (address, surroundings)
    let environment: StoreEnvironment
    do throws(StoreEnvironmentError) {
      environment = try StoreEnvironment(variable: surroundings.variable, file: surroundings.file)
    } catch { throw StoreError("\(address)", .noCredentials("\(error)")) }
    region = environment.region
    endpoint = try StoreEndpoint(bucket: address.bucket, url: environment.endpoint, region: region)
    var configuration = TransferPool.Configuration()
    configuration.authorities = environment.authorities
    do throws(UpstreamError) { pool = try TransferPool(configuration) } catch {
      throw StoreError("\(address)", .unreachable("\(error)"))
    }
    provider = try CredentialProvider(surroundings, environment, pool)
  }

  /// What tells a place from the same one in another store, found without a request to either.
  static func identity(of address: StoreAddress, _ surroundings: StoreSurroundings) throws(StoreError)
    -> String
  {
    let environment: StoreEnvironment
    do throws(StoreEnvironmentError) {
      environment = try StoreEnvironment(variable: surroundings.variable, file: surroundings.file)
    } catch { throw StoreError("\(address)", .noCredentials("\(error)")) }
    let endpoint = try StoreEndpoint(
      bucket: address.bucket, url: environment.endpoint, region: environment.region)
    return "\(endpoint.scheme)://\(endpoint.authority)\(endpoint.path(of: address.prefix))"
  }

  // MARK: Requests

  func perform(_ request: StoreRequest) throws(StoreError) -> TransferResponse {
    var response: TransferResponse?
    try perform([request]) { response = $1 }
    guard let response else { throw error(request, .unreachable("no response")) }
    return response
  }

  /// Performs requests in any order; the first error that does not pass ends all of them.
  func perform(
    _ requests: [StoreRequest], onResponse: (_ index: Int, TransferResponse) -> Void = { _, _ in }
  ) throws(StoreError) {
    let credentials = try provider.credentials()
    let signer = SignatureV4(credentials, region: region)
    var queue = StoreQueue(count: requests.count)
    var sinks: [Int: any ObjectSink] = [:]
    var failure: StoreError?
    pool.run {
      switch queue.step(now: surroundings.milliseconds()) {
      case .none: return .none
      case .wait(let milliseconds): return .wait(milliseconds: milliseconds)
      case .start(let index):
        do throws(StoreError) {
          let sink = try requests[index].makeSink?()
          sinks[index] = sink
          requestCount += 1
          return .start(id: index, transfer(requests[index], signer, sink))
        } catch {
          failure = failure ?? error
          queue.end()
          return .none
        }
      }
    } finish: { index, result in
      let sink = sinks.removeValue(forKey: index)
      let outcome = outcome(result, requests[index], sink, attempts: queue.failures(of: index) + 1)
      switch outcome {
      case .good:
        if case .success(let response) = result { onResponse(index, response) }
      case .passing(let reason):
        let now = surroundings.milliseconds()
        if !queue.retry(index, now: now, random: { Int.random(in: 0...$0) }) {
          failure = failure ?? error(requests[index], reason)
          queue.end()
        }
      case .failed(let reason):
        failure = failure ?? error(requests[index], reason)
        queue.end()
      }
    }
    if let failure { throw failure }
  }

  private func outcome(
    _ result: Result<TransferResponse, TransferFailure>, _ request: StoreRequest, _ sink: (any ObjectSink)?,
    attempts: Int
  ) -> StoreOutcome {
    switch result {
    case .success(let response):
      let outcome = StoreOutcome(
        response, expected: request.expected, region: region, attempts: attempts, now: surroundings.seconds())
      guard outcome == .good, response.status == 200, let sink else { return outcome }
      do throws(StoreError) { try sink.finish() } catch {
        return error.reason == .damaged ? .passing(.damaged) : .failed(error.reason)
      }
      return .good
    case .failure(let failure):
      switch failure.cause {
      case .unreachable, .timedOut: return .passing(.unreachable(failure.reason))
      case .cut: return .passing(.cut(failure.reason))
      case .refused: return .passing(sink == nil ? .cut(failure.reason) : .damaged)
      case .unreadable: return .failed(.file(failure.reason))
      case .tls, .other: return .failed(.unreachable(failure.reason))
      }
    }
  }

  private func transfer(_ request: StoreRequest, _ signer: SignatureV4, _ sink: (any ObjectSink)?) -> Transfer
  {
    let signed = SignatureV4.Request(
      request.method, endpoint.path(of: request.key), query: request.query,
      fields: [(name: "Host", value: endpoint.authority)] + request.fields, bodySHA256: request.bodySHA256)
    let time = SigningTime(secondsSince1970: surroundings.seconds())
    var transfer = Transfer(
      request.method, "\(endpoint.scheme)://\(endpoint.authority)\(signed.target)",
      fields: request.fields + signer.fields(for: signed, at: time), body: request.body)
    transfer.limitBytes = request.limitBytes
    if let sink { transfer.onPiece = { sink.take($0) } }
    return transfer
  }

  private func error(_ request: StoreRequest, _ reason: StoreError.Reason) -> StoreError {
    StoreError(address.place(of: request.key), reason)
  }

  // MARK: Lists

  /// All objects with a prefix, page by page (1,000 each), with the time of the store when it sent the last page.
  func list(prefix: String, onPage: (Int) -> Void = { _ in }) throws(StoreError) -> (
    items: [StoreXML.Item], now: Int
  ) {
    var items: [StoreXML.Item] = []
    var token: String?
    var now = surroundings.seconds()
    repeat {
      let response = try perform(.list(prefix: prefix, after: token))
      let page = StoreXML.list(response.body)
      // A page that leads to itself would never end.
      guard page.next == nil || page.next != token else {
        throw StoreError("\(address)", .cut("the list repeats itself"))
      }
      items += page.items
      token = page.next
      now = StoreOutcome.time(in: response) ?? now
      onPage(items.count)
    } while token != nil
    return (items, now)
  }
}
