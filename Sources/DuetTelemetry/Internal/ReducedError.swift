import DuetHTTP

/// What stands in place of an error whose description has the path of a request with the values in it.
struct ReducedError: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = (error as? HTTPFailure)?.descriptionWithoutURL ?? errorType(of: error)
    }
}

/// What a span of a message records of an error: of one that names a URL what is without it, and all of any other.
func recorded(_ error: any Error) -> any Error {
    error is HTTPClientError || error is HTTPFailure || error is TokenUnavailable ? ReducedError(error) : error
}
