import Duet
import DuetHTTP

/// Replaces an error whose description contains the path of a request, and thus its values.
struct ReducedError: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = (error as? HTTPFailure)?.descriptionWithoutURL ?? errorType(of: error)
    }
}

/// Returns the error that a message's span records: a reduced one if the error names a URL, otherwise the error itself.
func recorded(_ error: any Error) -> any Error {
    error is HTTPClientError || error is HTTPFailure || error is TokenUnavailable ? ReducedError(error) : error
}

/// Returns the type of an error and the name of an enum case with associated values, a bounded set of values.
func errorType(of error: any Error) -> String {
    // The number of attempts is not the reason of the failure.
    let error: any Error = (error as? HTTPClientError)?.reason ?? error
    let type = qualifiedName(of: type(of: error))
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum, let name = mirror.children.first?.label else { return type }
    return "\(type).\(name)"
}
