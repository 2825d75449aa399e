@_exported public import TapedeckAdmin
// What `import Tapedeck` means: the public words of the rooms below, and nothing else.
@_exported public import TapedeckHTTP
@_exported public import TapedeckInterception
@_exported public import TapedeckMocking
@_exported public import TapedeckOverrides
@_exported public import TapedeckProxy
@_exported public import TapedeckRecording
@_exported public import TapedeckRedaction
@_exported public import TapedeckResources
