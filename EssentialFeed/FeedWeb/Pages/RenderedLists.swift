import FeedFeature
import FeedPresentation
import Foundation
import Synchronization

/// The lists of comments that were rendered last, so that all open pages of an image get the same bytes.
///
/// A long list takes tens of milliseconds, and a thousand pages may wait for it.
final class RenderedLists: Sendable {
    private static let limit = 32

    /// The time during which the ages of comments stay as they are, in seconds.
    private static let lifetime: TimeInterval = 5

    private struct Key: Hashable {
        let image: FeedImage.ID
        let part: Range<Int>
        let language: Language
    }

    private struct List {
        let comments: [ImageComment]
        let date: Date
        let html: Data
    }

    private let lists = Mutex<[Key: List]>([:])

    /// Returns the list of an image's comments in a language, which `render` creates unless it exists already.
    ///
    /// Others wait for a list that is being rendered, because rendering it again would take as long.
    func html(
        of comments: [ImageComment],
        _ part: Range<Int>,
        on image: FeedImage.ID,
        in language: Language,
        at date: Date,
        render: ([ImageComment]) throws -> Data
    ) rethrows -> Data {
        try lists.withLock { lists in
            let key = Key(image: image, part: part, language: language)
            if let list = lists[key], abs(date.timeIntervalSince(list.date)) < Self.lifetime, list.comments == comments
            {
                return list.html
            }
            let html = try render(comments)
            if lists[key] == nil, lists.count >= Self.limit,
                let oldest = lists.min(by: { $0.value.date < $1.value.date })
            {
                lists[oldest.key] = nil
            }
            lists[key] = List(comments: comments, date: date, html: html)
            return html
        }
    }
}
