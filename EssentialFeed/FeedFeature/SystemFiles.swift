package import Foundation

extension URL {
    /// Whether this location, or the target of its link, is neither a regular file nor a folder, such as a device.
    package var isSpecialFile: Bool {
        let type = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)[.type]
        return (type as? FileAttributeType).map { ![.typeRegular, .typeDirectory].contains($0) } ?? false
    }
}

extension Error {
    /// The system's reason in plain words; the description of a `CocoaError` is meant for programmers.
    package var plainReason: String {
        let error = (self as? CocoaError)?.underlying ?? self
        var text = error is POSIXError || error is CocoaError ? error.localizedDescription : "\(error)"
        let opening = "The operation could not be completed. "
        if text.hasPrefix(opening) { text.removeFirst(opening.count) }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
