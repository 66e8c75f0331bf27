import Foundation

extension Error {
    /// Why the system refused, as a person would say it; the description of a `CocoaError` is for its programmer.
    package var plainReason: String {
        let underlying = (self as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? any Error
        let error = underlying ?? self
        let text = error is POSIXError || error is CocoaError ? error.localizedDescription : "\(error)"
        return text.replacing(/^The operation could not be completed\. /, with: "").replacing(/\.$/, with: "")
    }
}
