internal import TapedeckUpstream

extension ProxyConfiguration {
  /// How the origin is asked; `nil` where there is none.
  func upstreamConfiguration() throws(UpstreamURLError) -> UpstreamConfiguration? {
    guard let url = upstream else { return nil }
    var asking = UpstreamConfiguration(origin: try UpstreamOrigin(url))
    asking.caCertificatePath = caCertificate
    asking.verifiesTLS = verifiesTLS
    asking.preservesHost = preservesHost
    asking.passesEncodings = passesEncodings
    asking.usesEnvironmentProxy = usesEnvironmentProxy
    asking.timeouts.connectMilliseconds = connectTimeoutMilliseconds
    asking.timeouts.firstByteMilliseconds = firstByteTimeoutMilliseconds
    asking.timeouts.readIdleMilliseconds = readTimeoutMilliseconds
    asking.maxConnectionsPerLoop = maxUpstreamConnectionsPerThread
    return asking
  }
}
