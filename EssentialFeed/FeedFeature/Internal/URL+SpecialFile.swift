package import Foundation

extension URL {
    /// Whether there is something here, or where a link leads, that is neither a file nor a folder: a device, a pipe.
    package var isSpecialFile: Bool {
        let type = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)[.type]
        return (type as? FileAttributeType).map { ![.typeRegular, .typeDirectory].contains($0) } ?? false
    }
}
