import DuetHTTP
import HTTPTypes

/// An error with and without an associated value.
enum Fault: Error {
    case broken(String)
    case lost
}

func request(
    _ method: HTTPRequest.Method = .get,
    _ path: String = "/v1/image/7",
    scheme: String = "http",
    authority: String = "server"
) -> HTTPRequest {
    HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
}

/// Returns options as a dispatcher sets them for a message.
func options(message: String? = nil, template: String? = nil) -> HTTPRequestOptions {
    var options = HTTPRequestOptions()
    options.messageName = message
    options.pathTemplate = template
    return options
}
