import Testing

/// Messages and decorators with httpbin, a third-party server.
@Suite(.httpBin)
struct HTTPBinTests {}
