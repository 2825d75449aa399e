// The names that `import Tapedeck` shows: the words of a test author. Members of other types, like `.instant` of
// `ProxyConfiguration.pace`, need no name here. `Tools/names` lists them all.

// Routers, stores, HTTP messages and the interception of URLSession.
@_exported public import TapedeckInterception
@_exported public import TapedeckMocking

// The proxy, the mock server and cassettes.
@_exported public import class TapedeckAdmin.AdminServer
@_exported public import struct TapedeckOverrides.OverrideProblem
@_exported public import class TapedeckOverrides.Overrides
@_exported public import class TapedeckProxy.Feather
@_exported public import enum TapedeckProxy.FeatherError
@_exported public import struct TapedeckProxy.ForwardProxy
@_exported public import class TapedeckProxy.LineServer
@_exported public import struct TapedeckProxy.ProxyConfiguration
@_exported public import enum TapedeckProxy.ProxyError
@_exported public import class TapedeckProxy.ProxyServer
@_exported public import struct TapedeckProxy.ProxySummary
@_exported public import enum TapedeckProxy.RecordMode
@_exported public import class TapedeckProxy.Session
@_exported public import enum TapedeckProxy.SessionSelector
@_exported public import struct TapedeckProxy.UpstreamField
@_exported public import enum TapedeckRecording.CassetteError
@_exported public import struct TapedeckRecording.MatchSpec
@_exported public import struct TapedeckRedaction.RedactionChoice
// REST and JSON:API resources.
@_exported public import struct TapedeckResources.HALSerializer
@_exported public import struct TapedeckResources.JSONAPIOptions
@_exported public import struct TapedeckResources.JSONAPIResources
@_exported public import struct TapedeckResources.RESTResources
@_exported public import struct TapedeckResources.RESTSerializer
@_exported public import protocol TapedeckResources.RelatedEntity
@_exported public import struct TapedeckResources.Relationship
@_exported public import struct TapedeckResources.ResourceActions
@_exported public import typealias TapedeckResources.ResourceEntity
@_exported public import struct TapedeckResources.ResourceListView
@_exported public import protocol TapedeckResources.ResourceSerializer
@_exported public import struct TapedeckResources.ResourceView
@_exported public import protocol TapedeckResources.SerializedResource
