import Testing

/// How messages and decorators fare with httpbin, which was written by somebody else.
@Suite(.httpBin)
struct HTTPBinTests {}
