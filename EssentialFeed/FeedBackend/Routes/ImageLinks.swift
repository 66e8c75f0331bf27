import Foundation
import Hummingbird

/// Makes the URLs under which clients find the images' bytes.
struct ImageLinks {
    private let base: String?

    /// - Parameter publicURL: What the URLs begin with; nil for the host that each request names.
    init(publicURL: URL?) {
        base = publicURL.map { $0.absoluteString.trimmingSuffix("/") }
    }

    /// What an image's URL begins with; its id comes next.
    func prefix(for request: Request) -> String {
        (base ?? "http://\(request.head.authority ?? "")") + "/v1/image/"
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var end = endIndex
        while end > startIndex, self[index(before: end)] == suffix { end = index(before: end) }
        return String(self[..<end])
    }
}
