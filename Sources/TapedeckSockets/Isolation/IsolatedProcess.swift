internal import CSystem
internal import Glibc

/// A command in user, network and mount namespaces of its own (namespaces(7)), in which every address but loopback leads
/// to this process.
///
/// It needs no root. The command keeps its user and group, its folder, its process group and its standard streams; other
/// descriptors are closed, and the only network there is are the sockets that this process serves. What it does not keep
/// in: unix sockets that the command finds in the file system.
package struct IsolatedProcess: Sendable {
  package let pid: Int32
  package let network: IsolatedNetwork

  /// The largest number of ports that can be served.
  package static let maximumPorts = Int(td_isolated_ports)
  /// The largest number of ports of its loopback that can be shared.
  package static let maximumShares = Int(td_isolated_shares)

  /// Starts a command, searching `PATH`.
  /// - Parameters:
  ///   - environment: as `NAME=VALUE`.
  ///   - mounts: files that stand in the place of others; where there is no file, none is put.
  ///   - ports: where connections are served if the kernel cannot lead those to all ports to us.
  ///   - shares: ports of its loopback that are those of ours.
  package static func start(
    _ words: [String], environment: [String], mounts: [(source: String, target: String)], ports: [UInt16],
    shares: [UInt16]
  ) throws(IsolationError) -> IsolatedProcess {
    let words = words.map { strdup($0) } + [nil]
    let environment = environment.map { strdup($0) } + [nil]
    let paths = mounts.map { (strdup($0.source), strdup($0.target)) }
    defer {
      for pointer in words + environment { free(pointer) }
      for (source, target) in paths {
        free(source)
        free(target)
      }
    }
    let files = paths.map { td_file_mount(source: $0.0, target: $0.1) }
    var network = td_isolated_network()
    var failure = td_isolation_failure()
    let pid = words.withUnsafeBufferPointer { words in
      environment.withUnsafeBufferPointer { environment in
        files.withUnsafeBufferPointer { files in
          ports.withUnsafeBufferPointer { ports in
            shares.withUnsafeBufferPointer { shares in
              var command = td_isolated_command(
                words: words.baseAddress, environment: environment.baseAddress, mounts: files.baseAddress,
                mount_count: files.count, ports: ports.baseAddress, port_count: ports.count,
                shares: shares.baseAddress, share_count: shares.count)
              return td_start_isolated(&command, &network, &failure)
            }
          }
        }
      }
    }
    guard pid > 0 else { throw IsolationError(failure) }
    do throws(SocketError) {
      return IsolatedProcess(pid: pid, network: try IsolatedNetwork(network, shares: shares))
    } catch {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw IsolationError(.process, code: error.code)
    }
  }
}
