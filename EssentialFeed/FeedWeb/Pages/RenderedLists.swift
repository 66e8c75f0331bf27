import FeedFeature
import FeedPresentation
import Foundation
import Synchronization

/// The pages of comments that were rendered last, so that all readers who have them open get the same bytes.
///
/// A long list takes tens of milliseconds, and a thousand pages may wait for it.
final class RenderedLists: Sendable {
    private static let limit = 32

    /// The time during which the ages of comments stay as they are, in seconds.
    private static let lifetime: TimeInterval = 5

    private struct Key: Hashable {
        let query: LoadImageComments
        let language: Language
    }

    private struct List {
        let page: ImageCommentPage
        let date: Date
        let html: Data
    }

    private let lists = Mutex<[Key: List]>([:])

    /// Returns the list of a page of comments in a language, which `render` creates unless it exists already.
    ///
    /// Others wait for a list that is being rendered, because rendering it again would take as long.
    func html(
        of page: ImageCommentPage,
        answering query: LoadImageComments,
        in language: Language,
        at date: Date,
        render: () throws -> Data
    ) rethrows -> Data {
        try lists.withLock { lists in
            let key = Key(query: query, language: language)
            if let list = lists[key], abs(date.timeIntervalSince(list.date)) < Self.lifetime, list.page == page {
                return list.html
            }
            let html = try render()
            if lists[key] == nil, lists.count >= Self.limit,
                let oldest = lists.min(by: { $0.value.date < $1.value.date })
            {
                lists[oldest.key] = nil
            }
            lists[key] = List(page: page, date: date, html: html)
            return html
        }
    }
}
