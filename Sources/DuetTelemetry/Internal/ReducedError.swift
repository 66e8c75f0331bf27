import DuetHTTP

/// The kind of an error, in place of one whose description has the path of a request with the values in it.
struct ReducedError: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = errorType(of: error)
    }
}

/// What a span of a message records of an error: of one that tells of requests the kind, and all of any other.
func recorded(_ error: any Error) -> any Error {
    error is HTTPClientError || error is TokenUnavailable ? ReducedError(error) : error
}
