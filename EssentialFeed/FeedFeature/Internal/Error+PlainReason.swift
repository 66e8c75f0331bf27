import Foundation

extension Error {
    /// Why the system refused, as a person would say it; the description of a `CocoaError` is for its programmer.
    package var plainReason: String {
        let error = (self as? CocoaError)?.underlying ?? self
        var text = error is POSIXError || error is CocoaError ? error.localizedDescription : "\(error)"
        let opening = "The operation could not be completed. "
        if text.hasPrefix(opening) { text.removeFirst(opening.count) }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
