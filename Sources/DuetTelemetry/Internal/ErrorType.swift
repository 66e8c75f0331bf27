import Duet
import DuetHTTP

/// The kind of an error, of which there are only so many: its type, and the case where it has a payload.
func errorType(of error: any Error) -> String {
    // That there were several attempts is not why they failed.
    let error: any Error = (error as? HTTPClientError)?.reason ?? error
    let type = qualifiedName(of: type(of: error))
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum, let name = mirror.children.first?.label else { return type }
    return "\(type).\(name)"
}
