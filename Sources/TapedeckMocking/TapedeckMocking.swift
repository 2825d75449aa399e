@_exported public import struct TapedeckHTTP.HTTPField
// These HTTP types appear in the API, so a router's tests need only `import TapedeckMocking`.
@_exported public import enum TapedeckHTTP.HTTPFieldError
@_exported public import struct TapedeckHTTP.HTTPFields
@_exported public import struct TapedeckHTTP.HTTPMethod
@_exported public import struct TapedeckHTTP.HTTPRequest
@_exported public import struct TapedeckHTTP.HTTPResponse
@_exported public import struct TapedeckHTTP.HTTPResponseHead
@_exported public import enum TapedeckHTTP.HTTPVersion
@_exported public import struct TapedeckHTTP.JSONError
@_exported public import struct TapedeckHTTP.JSONMember
@_exported public import struct TapedeckHTTP.JSONNumber
@_exported public import struct TapedeckHTTP.JSONString
@_exported public import struct TapedeckHTTP.JSONStyle
@_exported public import enum TapedeckHTTP.JSONValue
@_exported public import enum TapedeckHTTP.PathPatternError
